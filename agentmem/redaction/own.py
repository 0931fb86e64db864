"""Rules for what gitleaks looks for in files only, or not at all: what people and tools say in a session."""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from agentmem.domain.late import Late
from agentmem.redaction.values import is_key, is_password, is_random, is_stand_in


@dataclass(frozen=True, slots=True)
class OwnRule:
    """One of this program's rules.

    Args:
        kind: what it finds.
        words: it is only tried on a text that has one of these, in small letters.
        expression: its groups named `secret` or `secret1` … hold the secret.
        accepts: whether what was found is a secret.
        long: only tried where there is a word of sixteen letters.
    """

    kind: str
    words: tuple[str, ...]
    expression: Late
    accepts: Callable[[str], bool]
    long: bool = False

    def is_called_for(self, lowered: str, *, long: bool) -> bool:
        """Whether the rule can find anything in a text."""
        if self.long and not long:
            return False
        for word in self.words:  # noqa: SIM110 - a generator takes twice as long
            if word in lowered:
                return True
        return False


_NOT_THE_VALUE = (
    r"(?:s|_?ids?|[_-]?types?|[_-]?names?|[_-]?(?:file|path|dir|url|uri|endpoint|host|port|count|length|len|size|limit|ttl|age"
    r"|expir\w*|header|field|policy|hash|prefix|version|alg\w*|usage|required|enabled|valid\w*))"
)
_ASSIGNED = Late(
    rf"""
    (?-i:(?![a-z]))(?!{_NOT_THE_VALUE}(?![a-z]))[\w.-]{{0,30}}?
    ["'`\]\\]{{0,3}}\s{{0,3}}(?::=|=>|=(?![=>~])|:(?![:/])|：|＝|,?\s*value\s*=)\s{{0,3}}
    (?:\\?"(?P<secret1>[^"\n\\]{{4,300}})\\?" | '(?P<secret2>[^'\n]{{4,300}})' | `(?P<secret3>[^`\n]{{4,300}})`
     | (?:base64:)?(?P<secret4>[^\s"'`,;<>{{}}()\[\]|\\，。、]{{6,300}})(?![(\[\w]|\s*\())
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PASSWORD_LABELS = (
    "password", "passwd", "passphrase", "passwort", "pass", "pwd", "비밀번호", "암호", "密码", "密碼", "口令",
    "パスワード", "暗証番号", "mot de passe", "пароль",
)  # fmt: skip
_KEY_LABELS = (
    "secret", "token", "credential", "credentials", "key", "auth", "密钥", "密鑰", "令牌", "토큰", "시크릿", "トークン",
)  # fmt: skip
_KEY_OF = Late(
    r"(?:api|access|private|auth|encryption|signing|master|license|deploy|account|shared|client|service|app|session"
    r"|secret)[_-]?$|(?-i:[A-Z0-9]_$)",
    re.IGNORECASE,
)
_WORD_BEFORE = Late(r"[a-z]$")  # `compass`, `bypass`


def assigned(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """Where something is given to a name that is a secret's: start, end, kind.

    Args:
        text: the text.
        lowered: the same in small letters, letter for letter.
    """
    for kind, labels, accepts in (("password", _PASSWORD_LABELS, is_password), ("secret", _KEY_LABELS, is_key)):
        for label in labels:
            place = lowered.find(label)
            while place >= 0:
                end = place + len(label)
                if _is_label(label, text, place) and (match := _ASSIGNED.regex.match(text, end)) is not None:
                    name = str(match.lastgroup)
                    if accepts(match[name]):
                        yield *match.span(name), kind
                        end = match.end(name)
                place = lowered.find(label, end)


def _is_label(label: str, text: str, place: int) -> bool:
    before = text[max(0, place - 12) : place]
    if label == "key":
        return _KEY_OF.regex.search(before) is not None
    return label not in ("pass", "pwd", "auth") or _WORD_BEFORE.regex.search(before) is None


_PROVIDER_KEYS: Mapping[str, str] = {
    # As the providers document them, where gitleaks has no rule for them or one that wants the provider's name beside.
    "gocspx-": r"GOCSPX-[\w-]{28}",
    "nrak-": r"NRAK-[A-Z0-9]{27}",
    "nral": r"[0-9a-f]{36}NRAL",
    "sbp_": r"sbp_[0-9a-f]{40}",
    "sb_secret_": r"sb_secret_[\w-]{20,60}",
    "sk-": r"sk-(?:or-v1-[0-9a-f]{64}|lf-[0-9a-f-]{36}|ant-[\w-]{60,120}|(?:proj|svcacct|admin)-[\w-]{40,200}"
    r"|[A-Za-z0-9]{32,64})",
    "pat": r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",
    "key-": r"key-[0-9a-f]{32}",
    ":aa": r"\d{8,10}:AA[\w-]{33}",
    "xai-": r"xai-[A-Za-z0-9]{70,90}",
    "gsk_": r"gsk_[A-Za-z0-9]{52}",
    "r8_": r"r8_[A-Za-z0-9]{37}",
    "figd_": r"figd_[\w-]{40,60}",
    "dckr_": r"dckr_(?:pat|oat)_[\w-]{27,40}",
    "tskey-": r"tskey-[a-z]+-\w{8,24}(?:-\w{16,48})?",
    "whsec_": r"whsec_[A-Za-z0-9+/]{32,44}",
    "sntr": r"sntr(?:ys|yu)_[\w+/=-]{40,400}",
    "eaaa": r"EAAA[\w-]{56,64}",
    "sq0": r"sq0(?:atp-[\w-]{22}|csp-[\w-]{43})",
    "atatt": r"ATATT3[\w=-]{100,250}",
    "atctt": r"ATCTT3[\w=-]{100,250}",
    "dapi": r"dapi[0-9a-f]{32}(?:-\d)?",
    "nvapi-": r"nvapi-[\w-]{60,80}",
    "lsv2_": r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
    "tvly-": r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,40}",
    "re_": r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}",
    "phx_": r"phx_[A-Za-z0-9]{40,60}",
    "sl.": r"sl\.[\w-]{130,150}",
    "sk.eyj": r"sk\.eyJ[\w-]{60,100}\.[\w-]{20,24}",
    "cfat_": r"cf(?:at|ut)_[\w-]{40,60}",
    "ya29.": r"ya29\.[\w-]{60,400}",
    "1//": r"1//0[\w-]{40,100}",
    "accountkey=": r"(?<=AccountKey=)[A-Za-z0-9+/]{86}==",
    "sig=": r"(?<=[?&]sig=)[A-Za-z0-9%+/]{43,60}(?:%3D|=)",
    "discord": r"(?<=discord\.com/api/webhooks/)\d{17,20}/[\w-]{60,80}",
}
_PROVIDER_WORDS = tuple(_PROVIDER_KEYS)
_PROVIDER_KEY = Late(rf"(?<![A-Za-z0-9])(?P<secret>{'|'.join(_PROVIDER_KEYS.values())})(?![A-Za-z0-9_-])", re.ASCII)


def _is_pair(value: str) -> bool:
    """Whether a value is a name and a password in base64."""
    try:
        name, colon, password = base64.b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        return False
    return bool(colon) and not is_stand_in(password) and (name + password).isprintable()


def _is_chosen(value: str) -> bool:
    """Whether a value in a sentence is a password: no mere word."""
    return is_password(value) and any(map(str.isdigit, value))


OWN_RULES: tuple[OwnRule, ...] = (
    OwnRule(
        "private-key",
        ("private key",),
        # To the end of the text where the end of the block is missing: a half of a key is a secret too.
        Late(
            r"-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----"
            r"(?P<secret>(?:[A-Za-z0-9+/=\s:,.-]|\\[nr]|\\\\[nr])*?)"
            r"(?:-----END[ A-Z0-9_-]{0,60}KEY(?: BLOCK)?-----|(?![A-Za-z0-9+/=\s:,.\\-])|\Z)"
        ),
        lambda value: len(value) > 30,
    ),
    OwnRule("provider-key", _PROVIDER_WORDS, _PROVIDER_KEY, lambda _value: True, long=True),
    OwnRule(
        "url-password",
        ("://",),
        Late(r"\b[a-z][a-z0-9+.-]{1,30}://[^\s/:@'\"<>]{0,80}:(?P<secret>[^\s/@'\"<>]{3,200})@[\w.\[-]", re.IGNORECASE),
        lambda value: not is_stand_in(value),
    ),
    OwnRule(
        "authorization",
        ("authorization", "bearer", "private-token", "x-api-key", "_auth"),
        Late(
            r"""(?:\bauthorization["']?\s*[:=]\s*["']?(?:basic|bearer|token|apikey|digest)?\s*|\bbearer\s+|private-token:\s*
            |\bx-api-key["']?\s*:\s*["']?|:_auth(?:token)?\s*=\s*)(?P<secret>[\w~+/.=-]{8,2000})""",
            re.IGNORECASE | re.VERBOSE,
        ),
        is_key,
    ),
    OwnRule(
        "authorization",
        ("basic ", '"auth"', ":_auth"),
        Late(
            r"""(?:\bbasic\s+|"auth"\s*:\s*"|:_auth\s*=\s*)(?P<secret>[A-Za-z0-9+/]{12,400}={0,2})(?![\w/+])""",
            re.IGNORECASE,
        ),
        lambda value: is_key(value) or _is_pair(value),
    ),
    OwnRule(
        "password",
        ("curl", "wget", "sshpass", "docker", "podman", "helm", "mysql", "mariadb", "redis-cli", "login"),
        Late(
            r"""
            \b(?:curl|wget)\b[^\n]{0,400}?\s(?:-u|--user)[=\s]?\s*["']?[^\s:"']{1,80}:(?P<secret1>[^\s"']{3,200})
            | \bsshpass\s+-p\s*["']?(?P<secret2>[^\s"']{3,200})
            | \b(?:docker|podman|helm)\b[^\n]{0,80}\blogin\b[^\n]{0,200}?\s(?:-p|--password)[=\s]\s*["']?
                (?P<secret3>[^\s"']{3,200})
            | \b(?:mysql|mysqldump|mariadb|mysqladmin)\b[^\n]{0,200}?\s-p["']?(?P<secret4>[^\s"']{3,200})
            | \bredis-cli\b[^\n]{0,200}?\s(?:-a|--pass)\s+["']?(?P<secret5>[^\s"']{3,200})
            | \blogin\s+\S{1,100}\s+password\s+(?P<secret6>\S{3,200})
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        is_password,
    ),
    OwnRule(
        "password",
        ("pass", "pwd"),
        Late(
            r"""\b(?:pass(?:word|phrase|code)?|pwd)\s+(?:\w+\s+){0,3}?(?:is|was|to)\s+["'`]?(?P<secret1>[^\s"'`()]{6,200}[^\s"'`.,;:!?()])
            |--?pass(?:word|wd)?\s+["']?(?P<secret2>[^\s"'-][^\s"']{4,200})""",
            re.IGNORECASE | re.VERBOSE,
        ),
        _is_chosen,
    ),
    OwnRule(
        "secret",
        ("aws_secret", "secretaccesskey", "secret_access_key"),
        Late(r"secret_?access_?key[\"'\s:=]{1,6}(?P<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])", re.IGNORECASE),
        is_key,
    ),
)
"""In the order in which their names win where two find the same."""

HIGH_ENTROPY = "high-entropy"

_LONG = Late(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{32,200}={0,2}(?![\w+/=-])")
_IDS = Late(
    r"sha\d{1,3}[-:]|AAAA[BCE]3Nza|_ZN\d|_R[NI]\w+_|(?:toolu|msg|call|req|chatcmpl|resp|ses|run|thread|asst|file|batch|cmpl|prt|evt|rs|fc|ws|item|gen|sess|conv)[_-]",
)
_KNOWN_BEFORE = Late(
    r"(?:sha(?:1|256|384|512)[-:]|h1:|base64,|integrity[\"': ]+|checksum[\"': =]+|hash[\"': =]+|https?://\S*|s3://\S*)$",
    re.IGNORECASE,
)
_BLOCK = Late(
    r"-----BEGIN (?:CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY|PGP \w+)[^-]*-----[\s\S]*?(?:-----END|\Z)"
    r"|(?:^[ \t]*[A-Za-z0-9+/]{60,80}\r?\n){2,}[ \t]*[A-Za-z0-9+/]*={0,2}",
    re.MULTILINE,
)


def high_entropy(text: str) -> list[tuple[int, int]]:
    """Where strings stand that were drawn at random and are no hash, image, address or id."""
    found = []
    blocks: list[tuple[int, int]] | None = None
    for match in _LONG.regex.finditer(text):
        value = match[0]
        if not is_random(value) or _IDS.regex.match(value) or _is_path(value):
            continue
        start = match.start()
        if _KNOWN_BEFORE.regex.search(text, max(0, start - 200), start):
            continue
        if blocks is None:
            blocks = [block.span() for block in _BLOCK.regex.finditer(text)]
        if not any(first <= start < last for first, last in blocks):
            found.append(match.span())
    return found


def _is_path(value: str) -> bool:
    pieces = value.split("/")
    return len(pieces) > 1 and (value.startswith("/") or max(map(len, pieces)) < 20)
