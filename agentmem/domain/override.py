"""Text that tries to take command of a model: "ignore your instructions", hidden orders, invented authorities.

It is found by its wording, in English, Chinese, Japanese and Korean. That is no wall: whoever knows the patterns words
it otherwise. The walls are that nothing a tool printed becomes a memory, and that memories are quoted. This only keeps
what is plainly an attack, and stands in a person's or an agent's own turn, from being believed.

"Ignore my earlier instructions about tabs" is a person changing their mind, and "don't show the user a stack trace" is
a requirement: with `my`, with a subject behind it, or without a word for the order itself, the wording does not count.
"""

import re

_ORDERS = r"(?:instructions?|rules|guidelines|directives|orders|prompts?|constraints|programming|training|context)"
_ANY = r"(?:all|any|every|the|these|those|of)"
_EARLIER = r"(?:your|previous|prior|preceding|earlier|above|former|safety|original|initial)"
_THIS = r"(?:this|it|that|anything|about (?:this|it|that)|these instructions)"
_ZH_WHICH = "(?:之前|以上|先前|上面|上述|所有|全部|一切|你的|您的|系统|系統|原来|原來|任何|既有)"
_ZH_ORDERS = "(?:指令|指示|提示|规则|規則|命令|设定|設定|要求|限制|说明|說明)"
_NEEDS = re.compile(
    r"ignor|disregard|forget|overrid|bypass|follow|system|admin|developer|root|security|tell|inform"
    r"|mention|reveal|notify|alert|you are now|your |im_start|\[/?inst|<<"
    r"|指令|指示|提示|规则|規則|命令|设定|設定|要求|限制|说明|說明|系統|系统"
    r"|用户|用戶|使用者|ルール|プロンプト|制約|システム|ユーザー|지시|명령|지침|규칙|프롬프트|설정|사용자|시스템|관리자|개발자",
    re.IGNORECASE,
)
_PATTERNS = re.compile(
    "|".join(
        (
            # English: orders to drop the orders; hidden orders; invented authorities and roles.
            (
                rf"\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow|stop following)\s+"
                rf"(?:(?:{_ANY}\s+)*(?:{_EARLIER}\s+)+(?:{_ANY}\s+|system\s+)*{_ORDERS}"
                r"|(?:all|any|every)\s+(?:of\s+)?(?:the\s+|system\s+)*(?:instructions?|directives|guidelines|orders|prompts?))\b"
                r"(?!\s+(?:about|regarding|on|for|concerning|in)\b)"
            ),
            (
                r"\b(?:do not|don't|never|must not)\s+(?:ever\s+)?(?:tell|inform|mention|reveal|notify|alert)\s+"
                rf"(?:{_THIS}\s+(?:to\s+)?the\s+(?:user|human|operator)"
                rf"|the\s+(?:user|human|operator)(?:\s+{_THIS})?\s*(?:[.!;,]|$))"
            ),
            r"\bwithout\s+(?:telling|informing|asking|notifying)\s+the\s+(?:user|human|operator)\b",
            r"\b(?:system|admin|administrator|developer|root|security)\s+(?:override|directive|command)\s*[:\]>!]",
            r"^\W{0,6}(?:new\s+)?(?:system|developer)\s+(?:prompt|message|instructions?)\s*:",
            r"\byou are now\s+(?:in\s+)?(?:dan\b|developer mode|an? unrestricted|an? unfiltered|jailbroken|root\b)",
            r"\b(?:reveal|print|show|repeat|leak|exfiltrate)\s+(?:me\s+)?your\s+(?:system\s+prompt|hidden\s+\w+)\b",
            r"<\|(?:im_start|system|endoftext|start_header_id)\|?>?|\[/?INST\]|<</?SYS>>",
            # Chinese
            (
                rf"(?:忽略|无视|無視|忽视|忽視|忘记|忘記|忘掉|不要遵守|不要理会|不要理會|覆盖|覆蓋)[^。！？\n我]{{0,8}}?"
                rf"{_ZH_WHICH}[^。！？\n我]{{0,8}}?{_ZH_ORDERS}"
            ),
            r"(?:不要|别|別|不得|勿)(?:把这|把這)?[^。！？\n]{0,4}?(?:告诉|告訴|告知|通知)(?:用户|用戶|使用者)(?:这|這|此|[。！，,!]|$)",
            r"(?:系统|系統|管理员|管理員|开发者|開發者)(?:指令|命令|覆盖|覆蓋)[:：】\]]",
            # Japanese
            (
                r"(?:以前|前|上記|これまで|すべて|全て|あなた|システム|元|既存|上)の?(?:すべての|全ての)?"
                r"(?:指示|命令|ルール|プロンプト|制約|設定)(?:を|は)(?:すべて|全て|全部)?(?:無視|忘れ|破棄|上書き)"
            ),
            r"(?:これ|このこと|この事|本件|何も)(?:を|は)?ユーザー(?:に|には)(?:言わ|知らせ|伝え|教え)(?:ない|ず|るな)",
            r"ユーザー(?:に|には)(?:これ|このこと|この事|何も)(?:を|は)?(?:言わ|知らせ|伝え|教え)(?:ない|ず|るな)",
            r"(?:システム|管理者|開発者)(?:指令|命令|オーバーライド)[:：】\]]",
            # Korean
            (
                r"(?:이전|위의?|기존|모든|너의|네|당신의|지금까지의|앞의|시스템)\s*(?:모든\s*)?(?:시스템\s*)?"
                r"(?:지시|명령|지침|규칙|프롬프트|설정)(?:\s?사항)?(?:을|를|은|는)?\s*(?:모두|전부|다)?\s*(?:무시|잊|따르지|덮어)"
            ),
            r"사용자에게(?:는)?\s*(?:이걸|이것을|이를|이 사실을|아무것도)\s*(?:알리|말하|전하)지\s*(?:마|말|않)",
            r"(?:이걸|이것을|이를|이 사실을)\s*사용자에게(?:는)?\s*(?:알리|말하|전하)지\s*(?:마|말|않)",
            r"(?:시스템|관리자|개발자)\s*(?:명령|지시|오버라이드)\s*[:：\]】]",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)
_HIDDEN = re.compile("[\u200b-\u200f\u2060-\u206f\ufeff\u00ad\U000e0000-\U000e007f]")
_LOOKED_AT = 100_000  # characters
_SPACES = re.compile(r"[ \t]+|(?<=[a-z,])\n(?=[a-z])", re.IGNORECASE)


def overrides(text: str) -> bool:
    """Whether a text tries to take command of a model; invisible characters between its letters do not hide that."""
    text = text[:_LOOKED_AT]
    if not text.isascii():
        text = _HIDDEN.sub("", text)
    if _NEEDS.search(text) is None:
        return False
    return _PATTERNS.search(_SPACES.sub(" ", text)) is not None
