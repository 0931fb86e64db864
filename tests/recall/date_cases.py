"""Sessions with dates, and the questions that rules answer about them; `test_date_questions` puts them to a store."""

from dataclasses import dataclass

SAID = {
    "en": (
        ("2024-02-29T10:00Z", "We founded the company office in Porto today."),
        ("2025-11-30T10:00Z", "The mobile app was launched today."),
        ("2026-01-31T09:00Z", "The data centre contract was signed."),
        ("2026-04-08T09:00Z", "Deployed the invoice service to production."),
        ("2026-04-10T07:30Z", "Incident: the gateway was down for an hour."),
        ("2026-04-17T15:00Z", "Deployed the retry queue to production."),
        ("2026-04-22T09:00Z", "The API limit was raised to 10,000 req/s."),
        ("2026-04-24T11:00Z", "Deployed the search index to production."),
        ("2026-04-27T09:00Z", "We decided to drop Internet Explorer."),
        ("2026-04-29T23:30Z", "We decided to buy a second firewall."),
    ),
    "zh-Hant": (
        ("2026-04-10T07:30Z", "事故：閘道中斷了一個小時。"),
        ("2026-04-17T15:00Z", "部署了重試佇列。"),
        ("2026-04-22T09:00Z", "限流提高到每秒一萬次。"),
        ("2026-04-24T11:00Z", "部署了搜尋索引。"),
        ("2026-04-27T09:00Z", "決定不再支援舊瀏覽器。"),
        ("2026-04-29T10:00Z", "決定買第二台防火牆。"),
    ),
    "zh-Hans": (
        ("2026-02-28T10:00Z", "合同签字完成。"),
        ("2026-04-10T07:30Z", "事故：网关中断了一个小时。"),
        ("2026-04-17T15:00Z", "部署了重试队列。"),
        ("2026-04-22T09:00Z", "限流提高到每秒一万次。"),
        ("2026-04-24T11:00Z", "部署了搜索索引。"),
        ("2026-04-27T09:00Z", "决定不再支持旧浏览器。"),
        ("2026-04-29T10:00Z", "决定买第二台防火墙。"),
    ),
    "ja": (
        ("2026-04-10T07:30Z", "障害：ゲートウェイが一時間止まりました。"),
        ("2026-04-17T15:00Z", "リトライキューをデプロイしました。"),
        ("2026-04-22T09:00Z", "レート制限を毎秒一万件に引き上げました。"),
        ("2026-04-24T11:00Z", "検索インデックスをデプロイしました。"),
        ("2026-04-27T09:00Z", "古いブラウザのサポートをやめることに決めました。"),
        ("2026-04-29T10:00Z", "二台目のファイアウォールを買うことに決めました。"),
    ),
    "ko": (
        ("2026-04-10T07:30Z", "장애: 게이트웨이가 한 시간 동안 멈췄어."),
        ("2026-04-17T15:00Z", "재시도 큐를 배포했어."),
        ("2026-04-22T09:00Z", "속도 한도를 초당 만 건으로 올렸어."),
        ("2026-04-24T11:00Z", "검색 색인을 배포했어."),
        ("2026-04-27T09:00Z", "옛 브라우저 지원을 끝내기로 결정했어."),
        ("2026-04-29T10:00Z", "두 번째 방화벽을 사기로 결정했어."),
    ),
}
"""By profile: (when, what) of a session each."""


@dataclass(frozen=True)
class Case:
    """A question: in which profile, what, on which day or moment, and the answer or what the first hit says."""

    profile: str
    question: str
    today: str
    answer: str = ""
    hit: str = ""


def _days(profile: str, today: str, *pairs: tuple[str, str]) -> list[Case]:
    return [Case(profile, question, today, answer=answer) for question, answer in pairs]


def _hits(profile: str, today: str, *pairs: tuple[str, str]) -> list[Case]:
    return [Case(profile, question, today, hit=hit) for question, hit in pairs]


NOW = "2026-04-30"  # a Thursday
CASES = [
    *_days(
        "en",
        NOW,
        ("How many days after the April 10 incident was the limit raised?", "12 days: from 2026-04-10 to 2026-04-22."),
        ("How many days before the limit was raised was the incident?", "12 days: from 2026-04-10 to 2026-04-22."),
        ("How many days between the incident and the raised API limit?", "12 days: from 2026-04-10 to 2026-04-22."),
        ("How many weeks passed between the incident and the search index deployment?", "2 weeks (14 days): from 2026-04-10 to 2026-04-24."),
        ("How long ago was the incident?", "20 days: from 2026-04-10 to 2026-04-30."),
        ("How many days ago was the retry queue deployed?", "13 days: from 2026-04-17 to 2026-04-30."),
        ("How many weeks since the April 10 incident?", "2 weeks (20 days): from 2026-04-10 to 2026-04-30."),
        ("How many months since the data centre contract was signed?", "3 months (89 days): from 2026-01-31 to 2026-04-30."),
        ("How many months ago was the mobile app launched?", "5 months (151 days): from 2025-11-30 to 2026-04-30."),
        ("How many years since we founded the office in Porto?", "2 years (791 days): from 2024-02-29 to 2026-04-30."),
        ("When was the limit raised?", "2026-04-22, 8 days ago."),
        ("When did we drop Internet Explorer?", "2026-04-27, 3 days ago."),
        ("What day was the search index deployed?", "2026-04-24, 6 days ago."),
        ("How many days until December 25?", "239 days: from 2026-04-30 to 2026-12-25."),
        ("How many days from 2026-02-28 to 2026-03-01?", "1 day: from 2026-02-28 to 2026-03-01."),
        ("How many days from 2024-02-28 to 2024-03-01?", "2 days: from 2024-02-28 to 2024-03-01."),
        ("How many months between January 31, 2026 and February 28, 2026?", "1 month (28 days): from 2026-01-31 to 2026-02-28."),
        ("How many years between 2024-02-29 and 2025-02-28?", "1 year (365 days): from 2024-02-29 to 2025-02-28."),
        ("How many days between April 22 and the April 10 incident?", "12 days: from 2026-04-10 to 2026-04-22."),
        ("How many days until Friday?", "1 day: from 2026-04-30 to 2026-05-01."),
    ),
    *_days("en", "2028-02-29", ("How many years since February 29, 2024?", "4 years (1461 days): from 2024-02-29 to 2028-02-29.")),
    *_days("en", "2027-02-28", ("How many years since February 29, 2024?", "3 years (1095 days): from 2024-02-29 to 2027-02-28.")),
    *_days("en", "2026-03-31", ("How many months since February 28?", "1 month (31 days): from 2026-02-28 to 2026-03-31.")),
    # Where the day changes between zones: 23:30 UTC on the 29th is the 30th in Taipei, and the 29th in New York.
    *_days("en", "2026-05-02T12:00:00+08:00", ("How many days ago did we decide to buy a second firewall?", "2 days: from 2026-04-30 to 2026-05-02.")),
    *_days("en", "2026-05-02T12:00:00-04:00", ("How many days ago did we decide to buy a second firewall?", "3 days: from 2026-04-29 to 2026-05-02.")),
    *_days("en", "2026-05-02T12:00:00+00:00", ("How many days ago did we decide to buy a second firewall?", "3 days: from 2026-04-29 to 2026-05-02.")),
    *_hits("en", "2026-05-01T12:00:00+08:00", ("What did we decide yesterday?", "firewall")),
    *_hits("en", "2026-05-01T12:00:00-07:00", ("What did we decide two days ago?", "firewall")),
    *_hits(
        "en",
        NOW,
        ("What did we deploy last Friday?", "search index"),
        ("What did we decide yesterday?", "firewall"),
        ("What did we decide three days ago?", "Internet Explorer"),
        ("What was deployed on April 8?", "invoice service"),
        ("What did we deploy two weeks ago on Friday, April 17?", "retry queue"),
        ("What did we decide on Monday?", "Internet Explorer"),
        ("What was launched in November 2025?", "mobile app"),
        ("What was signed on January 31?", "data centre"),
    ),
    *_days(
        "zh-Hant",
        NOW,
        ("4月10日的事故之後幾天提高了限流？", "12天：從2026-04-10到2026-04-22。"),
        ("4月10日事故發生後幾天限流提高了？", "12天：從2026-04-10到2026-04-22。"),
        ("事故和限流提高之間隔了幾天？", "12天：從2026-04-10到2026-04-22。"),
        ("距離4月10日的事故已經過了幾天了？", "20天：從2026-04-10到2026-04-30。"),
        ("限流是什麼時候提高的？", "2026-04-22，8天前。"),
        ("重試佇列是幾天前部署的？", "13天：從2026-04-17到2026-04-30。"),
        ("離五月五日還有幾天？", "5天：從2026-04-30到2026-05-05。"),
        ("從2月28日到3月1日有幾天？", "1天：從2026-02-28到2026-03-01。"),
    ),
    *_hits(
        "zh-Hant",
        NOW,
        ("上週五部署了什麼？", "搜尋索引"),
        ("昨天決定了什麼？", "防火牆"),
        ("三天前決定了什麼？", "舊瀏覽器"),
        ("4月17日部署了什麼？", "重試佇列"),
        ("這週一決定了什麼？", "舊瀏覽器"),
        ("上上週五部署了什麼？", "重試佇列"),
    ),
    *_days(
        "zh-Hans",
        NOW,
        ("4月10日的事故之后多少天提高了限流？", "12天：从2026-04-10到2026-04-22。"),
        ("从4月10日的事故到限流提高用了几天？", "12天：从2026-04-10到2026-04-22。"),
        ("事故是几周前的事？", "2周(20天)：从2026-04-10到2026-04-30。"),
        ("合同签字过了几个月了？", "2个月(61天)：从2026-02-28到2026-04-30。"),
        ("限流什么时候提高的？", "2026-04-22，8天前。"),
        ("2024年2月28日到2024年3月1日有几天？", "2天：从2024-02-28到2024-03-01。"),
        ("距离国庆节10月1日还有多少天？", "154天：从2026-04-30到2026-10-01。"),
    ),
    *_hits(
        "zh-Hans",
        NOW,
        ("上周五部署了什么？", "搜索索引"),
        ("昨天决定了什么？", "防火墙"),
        ("3天前决定了什么？", "旧浏览器"),
        ("4月17号部署了什么？", "重试队列"),
    ),
    *_days(
        "ja",
        NOW,
        ("4月10日の障害の何日後に制限を引き上げましたか？", "12日間：2026-04-10から2026-04-22まで。"),
        ("障害からレート制限の引き上げまで何日でしたか？", "12日間：2026-04-10から2026-04-22まで。"),
        ("レート制限を引き上げたのはいつですか？", "2026-04-22、8日前です。"),
        ("障害は何日前でしたか？", "20日間：2026-04-10から2026-04-30まで。"),
        ("検索インデックスをデプロイしてから何日経ちましたか？", "6日間：2026-04-24から2026-04-30まで。"),
        ("2024年2月28日から2024年3月1日まで何日ですか？", "2日間：2024-02-28から2024-03-01まで。"),
        ("5月5日まであと何日ですか？", "5日間：2026-04-30から2026-05-05まで。"),
    ),
    *_hits(
        "ja",
        NOW,
        ("先週の金曜日に何をデプロイしましたか？", "検索インデックス"),
        ("昨日何を決めましたか？", "ファイアウォール"),
        ("3日前に何を決めましたか？", "ブラウザ"),
        ("4月17日に何をデプロイしましたか？", "リトライキュー"),
    ),
    *_days(
        "ko",
        NOW,
        ("4월 10일 장애 후 며칠 만에 한도를 올렸지?", "12일: 2026-04-10부터 2026-04-22까지."),
        ("장애와 속도 한도 인상 사이에 며칠이 지났어?", "12일: 2026-04-10부터 2026-04-22까지."),
        ("속도 한도를 언제 올렸어?", "2026-04-22, 8일 전입니다."),
        ("장애는 몇 주 전이었지?", "2주 (20일): 2026-04-10부터 2026-04-30까지."),
        ("검색 색인은 며칠 전에 배포했지?", "6일: 2026-04-24부터 2026-04-30까지."),
        ("2024년 2월 28일부터 2024년 3월 1일까지 며칠이야?", "2일: 2024-02-28부터 2024-03-01까지."),
        ("5월 5일까지 며칠 남았어?", "5일: 2026-04-30부터 2026-05-05까지."),
    ),
    *_hits(
        "ko",
        NOW,
        ("3일 전에 뭘 결정했지?", "브라우저"),
        ("어제 뭘 결정했지?", "방화벽"),
        ("지난주 금요일에 뭘 배포했어?", "검색 색인"),
        ("4월 17일에 뭘 배포했지?", "재시도 큐"),
        ("사흘 전에 뭘 결정했지?", "브라우저"),
    ),
    *_days(
        "en",
        NOW,
        ("How much time passed between the April 10 incident and the limit being raised?", "12 days: from 2026-04-10 to 2026-04-22."),
        ("How long after the incident was the search index deployed?", "14 days: from 2026-04-10 to 2026-04-24."),
        ("How many days was it from the retry queue deployment to the search index deployment?", "7 days: from 2026-04-17 to 2026-04-24."),
        ("How many days has it been since the limit was raised?", "8 days: from 2026-04-22 to 2026-04-30."),
        ("On what date was the data centre contract signed?", "2026-01-31, 89 days ago."),
        ("How many weeks until June 4?", "5 weeks (35 days): from 2026-04-30 to 2026-06-04."),
        ("How many years between 2023-03-01 and 2024-02-29?", "0 years (365 days): from 2023-03-01 to 2024-02-29."),
        ("How many days between December 31, 2025 and January 1, 2026?", "1 day: from 2025-12-31 to 2026-01-01."),
    ),
    *_days(
        "zh-Hant",
        NOW,
        ("限流提高是在事故之後第幾天？", "12天：從2026-04-10到2026-04-22。"),
        ("搜尋索引是什麼時候部署的？", "2026-04-24，6天前。"),
        ("2026年1月31日到2026年2月28日之間隔了幾個月？", "1個月(28天)：從2026-01-31到2026-02-28。"),
    ),
    *_days(
        "zh-Hans",
        NOW,
        ("部署搜索索引到现在过了几天了？", "6天：从2026-04-24到2026-04-30。"),
        ("重试队列几天前部署的？", "13天：从2026-04-17到2026-04-30。"),
        ("2023年12月31日和2024年3月1日相差多少天？", "61天：从2023-12-31到2024-03-01。"),
    ),
    *_days(
        "ja",
        NOW,
        ("障害とレート制限の引き上げの間は何日ですか？", "12日間：2026-04-10から2026-04-22まで。"),
        ("リトライキューをデプロイしたのはいつですか？", "2026-04-17、13日前です。"),
        ("2026年1月31日から2026年2月28日まで何ヶ月ですか？", "1か月(28日間)：2026-01-31から2026-02-28まで。"),
    ),
    *_days(
        "ko",
        NOW,
        ("장애 이후 며칠이 지났지?", "20일: 2026-04-10부터 2026-04-30까지."),
        ("재시도 큐는 언제 배포했지?", "2026-04-17, 13일 전입니다."),
        ("2026년 1월 31일부터 2026년 2월 28일까지 몇 달이야?", "1개월 (28일): 2026-01-31부터 2026-02-28까지."),
    ),
    *_hits(
        "en",
        NOW,
        ("what did we decide the day before yesterday or earlier this week on Monday?", "Internet Explorer"),
        ("What happened on 10 April?", "gateway"),
        ("What happened yesterday?", "firewall"),
        ("What did we deploy in the second week, on 2026-04-08?", "invoice"),
    ),
    *_hits("en", "2026-05-06", ("What did we deploy two weeks ago on Friday?", "search index")),
    *_hits("zh-Hant", NOW, ("4月10日發生了什麼事？", "閘道")),
    *_hits("ja", NOW, ("4月10日に何がありましたか？", "ゲートウェイ"), ("先々週の金曜日に何をデプロイしましたか？", "リトライキュー"), ("おととい以前、月曜日に何を決めましたか？", "ブラウザ")),
    *_hits("ko", NOW, ("4월 10일에 무슨 일이 있었어?", "게이트웨이"), ("지지난주 금요일에 뭘 배포했어?", "재시도 큐"), ("이번 주 월요일에 뭘 결정했지?", "브라우저")),
    *_hits("zh-Hans", NOW, ("上上周五部署了什么？", "重试队列"), ("这周一决定了什么？", "旧浏览器"), ("前天之前，4月27日决定了什么？", "旧浏览器")),
    *_hits("ko", "2026-04-29T08:00:00+09:00", ("그저께 뭘 결정했지?", "브라우저 지원")),
]  # fmt: skip
