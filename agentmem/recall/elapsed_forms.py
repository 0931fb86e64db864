"""The forms of elapsed-time questions in English, Chinese, Japanese and Korean; `agentmem.recall.elapsed` reads them.

In every pattern `x` is the phrase for the first happening, `y` for the second, `unit` the unit asked for. The first
form that fits wins, so those with two happenings stand before those with one.
"""

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Form:
    """One way of asking.

    Args:
        language: `en`, `zh`, `ja` or `ko`.
        direction: the value of an `agentmem.recall.elapsed.Direction`.
        needs: the form is only tried on a question with one of these, in lower case.
        pattern: the regular expression, compiled at first use; upper and lower case are one.
    """

    language: str
    direction: str
    needs: tuple[str, ...]
    pattern: str

    @property
    def two(self) -> bool:
        """Whether the form names two happenings."""
        return "(?P<y>" in self.pattern

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern, re.IGNORECASE)


# Characters that only traditional script has, among those that such questions contain.
TRADITIONAL = re.compile("[幾個過後間與從離週們開發說這麼時號經總還會關決導錯誤設樣員測試資訊讓應該網頁]")

UNITS = {
    "days": "day", "day": "day", "weeks": "week", "week": "week", "months": "month", "month": "month",
    "years": "year", "year": "year", "天": "day", "日": "day", "周": "week", "週": "week", "星期": "week",
    "个星期": "week", "個星期": "week", "礼拜": "week", "禮拜": "week", "个礼拜": "week", "個禮拜": "week",
    "个月": "month", "個月": "month", "年": "year", "日間": "day", "週間": "week", "か月": "month", "ヶ月": "month",
    "カ月": "month", "ヵ月": "month", "か月間": "month", "ヶ月間": "month", "カ月間": "month", "ヵ月間": "month",
    "年間": "year", "며칠": "day", "몇일": "day", "몇주": "week", "몇주일": "week", "몇달": "month", "몇개월": "month",
    "몇년": "year",
}  # fmt: skip

_MANY = r"(?:(?:how many|number of) (?P<unit>days?|weeks?|months?|years?)|how long|how much time)"
_VERB = r"(?:was|were|did|is|are|has|have|had|do|does|will|until|till|before|that)"
_LIE = (
    r"(?:(?:were|are|is|was|did|do|have|has|had|lie|lay|there|it|take|took|passed|elapsed|pass|elapse|gone|go|went|by"
    r"|in|been|already|i|we|you) ?)*"
)

_ZH_MANY = r"(?:多少|几|幾)\s?(?P<unit>天|日|周|週|[个個]?(?:星期|礼拜|禮拜)|[个個]月|年)"
_ZH_LONG = rf"(?:{_ZH_MANY}|多久|多长时间|多長時間)"
_ZH_LIE = (
    r"(?:之间|之間|间|間)?(?:一共|总共|總共|中间|中間|相|大概|大约|大約)*"
    r"(?:经过|經過|隔|差|距|有|过|過|是|用|花)*(?:了|是|着)?"
)

_JA_MANY = r"(?:何\s?(?P<unit>日間?|週間?|[かヶカヵ]月間?|年間?)|どれ(?:くらい|ぐらい|だけ)|どの(?:くらい|ぐらい))"
_KO_MANY = r"(?P<unit>며칠|몇\s?일|몇\s?주일?|몇\s?달|몇\s?개월|몇\s?년)"
_KO_LONG = rf"(?:{_KO_MANY}|얼마나|얼마)"

FORMS = (
    Form("en", "between", ("between when",), rf"\b{_MANY} {_LIE}\bbetween (?P<x>when .+?),? and (?P<y>when .+)$"),
    Form("en", "between", ("between",), rf"\b{_MANY} {_LIE}\bbetween (?P<x>.+?) and (?P<y>.+)$"),
    Form("en", "between", ("from",), rf"\b{_MANY} {_LIE}\bfrom (?P<x>.+?) (?:to|until|till) (?P<y>.+)$"),
    Form("en", "after", ("after", "since"), rf"\b{_MANY} (?:after|later than) (?P<x>.+?) {_VERB} (?P<y>.+)$"),
    Form("en", "after", ("after",), rf"\b{_MANY} {_LIE}\bafter (?P<x>.+?) (?:for|until|till|to) (?P<y>.+)$"),
    Form("en", "before", ("before",), rf"\b{_MANY} before (?P<x>.+?) (?:was|were|did|had|has|is|do|does) (?P<y>.+)$"),
    Form("en", "after", ("after",), rf"\b{_MANY} (?:later )?(?:was|were|did) (?P<y>.+?) after (?P<x>.+)$"),
    Form("en", "before", ("before",), rf"\b{_MANY} (?:earlier )?(?:was|were|did) (?P<y>.+?) before (?P<x>.+)$"),
    Form("en", "since", (" ago",), rf"\b{_MANY} ago (?:was|were|is|did|have|has|had)(?: it that| there)? (?P<x>.+)$"),
    Form("en", "after", ("since",), rf"\b{_MANY} {_LIE}\bsince (?P<x>.+?) when (?P<y>.+)$"),
    Form("en", "since", ("since",), rf"\b{_MANY} {_LIE}\bsince (?P<x>.+)$"),
    Form(
        "en",
        "until",
        ("until", "till", "before", " to "),
        rf"\b{_MANY} (?:(?:are|is|left|remain|do|we|have|there|it|remaining|to go) ?)*"
        r"\b(?:until|till|before|to) (?P<x>.+)$",
    ),
    Form(
        "en",
        "when",
        ("when",),
        r"^(?:(?:and|so|but|hey|ok|please|remind me),? )?when (?:was|were|did|is|are|will) (?P<x>.+)$",
    ),
    Form(
        "en",
        "when",
        ("what date", "which day", "what day", "which date"),
        r"^(?:on )?(?:what|which) (?:date|day) (?:was|were|did|is|are|will) (?P<x>(?!it\b|today|the date).+)$",
    ),
    # Chinese
    Form(
        "zh",
        "between",
        ("多少", "几", "幾", "多久", "多"),
        rf"^(?:从|從|自)(?P<x>.+?)(?:开始|開始)?(?:到|至)(?P<y>.+?)[,，]?{_ZH_LIE}{_ZH_LONG}(?:的?时间|的?時間)?$",
    ),
    Form(
        "zh",
        "between",
        ("间", "間", "隔", "差", "距"),
        rf"^(?P<x>.+?)(?:和|与|與|跟|到|至|及)(?P<y>.+?)(?:之间|之間|间隔|間隔|相隔|相差|相距|隔|差)[,，]?{_ZH_LIE}{_ZH_LONG}$",
    ),
    Form(
        "zh",
        "between",
        ("多少", "几", "幾", "多久"),
        rf"^(?P<x>.+?)(?:到|至)(?P<y>.+?)[,，]?(?:一共|总共|總共|经过了?|經過了?|过了|過了|用了|花了|有){_ZH_LONG}$",
    ),
    Form(
        "zh",
        "after",
        ("后", "後"),
        rf"^(?:在)?(?P<x>.+?)(?:之|以)?(?:后|後)[,，]?(?:过了?|過了?|隔了?|的?第)?{_ZH_LONG}(?:之?后|之?後|才|就)?[,，]?(?P<y>.+)$",
    ),
    Form("zh", "before", ("前",), rf"^(?:在)?(?P<x>.+?)(?:之|以)前[,，]?(?:的?第)?{_ZH_LONG}[,，]?(?P<y>.+)$"),
    Form("zh", "after", ("后", "後"), rf"^(?P<y>.+?)是?在(?P<x>.+?)(?:之|以)?(?:后|後)的?第?{_ZH_LONG}$"),
    Form("zh", "before", ("前",), rf"^(?P<y>.+?)是?在(?P<x>.+?)(?:之|以)?前的?第?{_ZH_LONG}$"),
    Form("zh", "after", ("后", "後"), rf"^(?P<x>.+?)(?:过了?|過了?|的?第)?{_ZH_MANY}(?:之|以)?(?:后|後)才?(?P<y>.+)$"),
    Form(
        "zh",
        "until",
        ("还", "還"),
        rf"^(?:现在|現在|今天)?(?:距离|距離|距|离|離|到)?(?P<x>.+?)(?:还|還)(?:有|剩|差|要|需要|得)?(?:等|剩)?{_ZH_LONG}$",
    ),
    Form(
        "zh",
        "since",
        ("过", "過", "今", "现在", "現在", "了", "已"),
        rf"^(?:距离|距離|距|离|離|自从|自從|自|从|從)?(?P<x>.+?)(?:以来|以來|之后|之後)?[,，]?(?:到|至|距|离|離)?(?:现在|現在|今天|今)?[,，]?(?:已经|已經|已)?(?:过去|過去|过|過|有)?了?{_ZH_LONG}了?$(?<=了)",
    ),
    Form(
        "zh",
        "since",
        ("至今", "到现在", "到現在", "到今天", "距今"),
        rf"^(?:从|從)?(?P<x>.+?)(?:至今|到现在|到現在|到今天|距今)(?:已经|已經|已)?(?:过了?|過了?|有)?{_ZH_LONG}了?$",
    ),
    Form(
        "zh",
        "since",
        ("前",),
        rf"^(?P<x>.+?)是?(?:在|发生在|發生在)?{_ZH_LONG}(?:之|以)?前(?:的|了)?(?:事|发生的|發生的)?$",
    ),
    Form(
        "zh",
        "since",
        ("前",),
        rf"^(?P<x>.+?)是?(?:在)?{_ZH_LONG}(?:之|以)?前(?P<tail>(?:(?!什么|什麼|哪|谁|誰|吗|嗎|怎|为何|為何).){{1,20}}?)[的了]?$",
    ),
    Form(
        "zh",
        "when",
        ("什么时候", "何时", "哪天", "哪一天", "几号", "什麼時候", "何時", "幾號", "几月几", "幾月幾"),
        r"^(?P<x>.+?)(?:是|在|是在|发生在|發生在)*(?:什么时候|什麼時候|何时|何時|哪一?天|[几幾]月[几幾][号號日]|[几幾][号號])(?P<tail>.*?)的?$",
    ),
    Form(
        "zh",
        "when",
        ("什么时候", "何时", "哪天", "哪一天", "什麼時候", "何時"),
        r"^(?:我们|我們)?(?:是|在|是在)*(?:什么时候|什麼時候|何时|何時|哪一?天)(?P<x>.+?)的?$",
    ),
    # Japanese
    Form(
        "ja",
        "between",
        ("何", "どれ", "どの"),
        rf"^(?P<x>.+?)から(?P<y>.+?)まで(?:に|は|には|の間は?|、)*{_JA_MANY}(?:経|た|過|か|あ|です|でした|で|だ|り|ま|す|し|っ|の)*.{{0,8}}$",
    ),
    Form(
        "ja",
        "between",
        ("間", "あいだ"),
        rf"^(?P<x>.+?)と(?P<y>.+?)の(?:間|あいだ)(?:隔)?(?:に|は|には|、)*{_JA_MANY}.{{0,12}}$",
    ),
    Form(
        "ja",
        "after",
        ("後", "あと"),
        rf"^(?P<x>.+?)(?<!まで)の?(?:後|あと)、?{_JA_MANY}(?:で(?!す|した)|後に|経って|たって|して)、?(?P<y>.+)$",
    ),
    Form("ja", "after", ("何",), rf"^(?P<x>.+?)(?:から|の){_JA_MANY}(?:後|あと)に?、?(?P<y>.+)$"),
    Form("ja", "after", ("何",), rf"^(?P<x>.+?)から{_JA_MANY}(?:で|経って|たって|して)、?(?P<y>.+)$"),
    Form("ja", "before", ("前",), rf"^(?P<x>.+?)の{_JA_MANY}前に、?(?P<y>.+)$"),
    Form("ja", "after", ("後",), rf"^(?P<y>.+?)は(?P<x>.+?)の{_JA_MANY}後(?:です|でした|だった|に?した)?か?$"),
    Form("ja", "since", ("から", "以来"), rf"^(?P<x>.+?)(?:から|以来)、?(?:もう)?{_JA_MANY}(?:経|た|過|目).{{0,10}}$"),
    Form("ja", "until", ("まで",), rf"^(?P<x>.+?)まで(?:は|に|には)?、?(?:あと|残り)?{_JA_MANY}.{{0,10}}$"),
    Form("ja", "since", ("前",), rf"^(?P<x>.+?)(?:は|が|の?は){_JA_MANY}前.{{0,10}}$"),
    Form("ja", "until", ("後",), rf"^(?P<x>.+?)は{_JA_MANY}後.{{0,8}}$"),
    Form(
        "ja",
        "when",
        ("いつ", "何月何日", "何日"),
        r"^(?P<x>.+?)(?:は|が|の?は|を)(?:いつ|何月何日|何日)(?!まで|から|間)(?:に|で|だ|し|した|やっ|決め|.)*$",
    ),
    # Korean
    Form(
        "ko",
        "between",
        ("까지",),
        rf"^(?P<x>.+?)(?:에서)?부터 (?P<y>.+?)까지(?:는|에)? ?(?:총|모두|약)? ?{_KO_LONG}.{{0,15}}$",
    ),
    Form(
        "ko",
        "between",
        ("사이",),
        rf"^(?P<x>.+?)(?:와|과|이랑|랑|하고) (?P<y>.+?) 사이(?:에는|에|는|의)? ?(?:간격은 ?|기간은 ?)?"
        rf"{_KO_LONG}.{{0,15}}$",
    ),
    Form(
        "ko",
        "after",
        ("후", "뒤", "이후", "다음", "나서"),
        rf"^(?P<x>.+?)(?: ?이후| 후| 뒤| 다음|하고 나서)(?:에|로)?"
        rf" {_KO_MANY} ?(?:만에|후에|뒤에|있다가|지나서) ?(?P<y>.+)$",
    ),
    Form(
        "ko",
        "after",
        ("며칠", "몇"),
        rf"^(?P<x>.+?)(?:(?:으로|로)?부터|에서|이|가|하고|한 지|된 지)?"
        rf" {_KO_MANY} ?(?:만에|후에|뒤에|후|뒤) (?P<y>.+)$",
    ),
    Form("ko", "before", ("전에",), rf"^(?P<x>.+?)(?:보다|하기) {_KO_MANY} ?전에 (?P<y>.+)$"),
    Form("ko", "until", ("까지",), rf"^(?P<x>.+?)까지(?:는)? ?(?:앞으로)? ?{_KO_LONG}.{{0,15}}$"),
    Form(
        "ko",
        "since",
        ("지", "부터", "후"),
        rf"^(?P<x>.+?)(?:(?:한|된|간|난) 지|(?:으로|로)?부터| 이후(?:로)?| 후)(?:가|는)?"
        rf" ?{_KO_MANY}(?:이나|이)? ?(?:지났|됐|되었|흘렀|째|경과).{{0,10}}$",
    ),
    Form("ko", "since", ("전",), rf"^(?P<x>.+?)(?:은|는|이|가)? {_KO_LONG} ?전.{{0,12}}$"),
    Form(
        "ko",
        "when",
        ("언제",),
        r"^(?P<x>.+?)(?:은|는|이|가|을|를)? ?언제(?!까지|부터|나|든)"
        r"(?:였지|였어|였나요|야|지|인가요|예요|이었지|죠)?(?P<tail>.{0,40})$",
    ),
)
