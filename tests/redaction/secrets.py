"""Secrets that no one has: shaped as the providers document theirs, drawn at random, put together from parts.

Written from the providers' documentation and without a look at the rules that are to find them, so that the
rate at which they are found means something. No whole secret stands in this file.
"""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from string import ascii_letters, ascii_uppercase, digits

ALNUM = ascii_letters + digits
HEX = digits + "abcdef"
URLSAFE = ALNUM + "-_"
BASE32 = ascii_uppercase + "234567"
EACH = 10
"""How many of each kind."""


@dataclass(frozen=True)
class Positive:
    """A text with a secret in it.

    Args:
        kind: whose secret.
        text: what somebody says or a tool prints.
        secrets: strings of which none may be stored.
    """

    kind: str
    text: str
    secrets: tuple[str, ...]


PLACES = (
    "Here is the key you asked for: {s}",
    "export {n}={s}",
    '{{"{n}": "{s}", "region": "eu-west-1"}}',
    'client = Client("{s}")',
    "curl -H 'Authorization: Bearer {s}' https://api.example.com/v1/me",
    "{n}: {s}\nreplicas: 3",
    "[2026-04-13 09:00:01] DEBUG sending with {s} to upstream",
    "키는 {s} 입니다. 커밋하지 마세요.",
    "用这个密钥 {s}，不要提交。",
    "$ echo {s} | tool login --stdin\nLogin succeeded",
)


def draw(random: Random, letters: str, length: int) -> str:
    return "".join(random.choices(letters, k=length))


def b64(random: Random, size: int, *, safe: bool = False) -> str:
    data = random.randbytes(size)
    return (base64.urlsafe_b64encode if safe else base64.b64encode)(data).decode()


def jwt(random: Random) -> str:
    header = {"alg": random.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}
    claims = {"sub": draw(random, digits, 10), "name": "Ada", "iat": random.randint(1_700_000_000, 1_800_000_000)}
    parts = [base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in (header, claims)]
    return ".".join([*parts, b64(random, 32, safe=True).rstrip("=")])


Draw = Callable[[Random], str]

TOKENS: dict[str, tuple[str, Draw]] = {
    # kind: (a usual name of the variable, how one is drawn)
    "aws access key id": ("AWS_ACCESS_KEY_ID", lambda r: "AK" + "IA" + draw(r, BASE32, 16)),
    "aws temporary key id": ("AWS_ACCESS_KEY_ID", lambda r: "AS" + "IA" + draw(r, BASE32, 16)),
    "github personal token": ("GITHUB_TOKEN", lambda r: "gh" + "p_" + draw(r, ALNUM, 36)),
    "github fine-grained token": (
        "GH_TOKEN", lambda r: "github" + "_pat_" + draw(r, ALNUM, 22) + "_" + draw(r, ALNUM, 59)
    ),
    "github app token": ("GITHUB_TOKEN", lambda r: "gh" + r.choice("ousr") + "_" + draw(r, ALNUM, 36)),
    "gitlab token": ("GITLAB_TOKEN", lambda r: "glp" + "at-" + draw(r, URLSAFE, 20)),
    "openai project key": (
        "OPENAI_API_KEY",
        lambda r: "sk-" + "proj-" + draw(r, URLSAFE, 74) + "T3Blbk" + "FJ" + draw(r, URLSAFE, 74),
    ),
    "openai old key": ("OPENAI_API_KEY", lambda r: "sk" + "-" + draw(r, ALNUM, 20) + "T3Blbk" + "FJ" + draw(r, ALNUM, 20)),
    "anthropic key": ("ANTHROPIC_API_KEY", lambda r: "sk-" + "ant-api03-" + draw(r, URLSAFE, 93) + "AA"),
    "google api key": ("GOOGLE_API_KEY", lambda r: "AI" + "za" + draw(r, URLSAFE, 35)),
    "google client secret": ("GOOGLE_CLIENT_SECRET", lambda r: "GOC" + "SPX-" + draw(r, URLSAFE, 28)),
    "slack bot token": (
        "SLACK_BOT_TOKEN",
        lambda r: "xo" + "xb-" + draw(r, "123456789", 12) + "-" + draw(r, digits, 13) + "-" + draw(r, ALNUM, 24),
    ),
    "slack user token": (
        "SLACK_TOKEN",
        lambda r: "xo" + "xp-" + "-".join(draw(r, "123456789", 12) for _ in range(3)) + "-" + draw(r, HEX, 32),
    ),
    "slack app token": (
        "SLACK_APP_TOKEN",
        lambda r: "xa" + "pp-1-A0" + draw(r, ascii_uppercase + digits, 9) + "-" + draw(r, digits, 13) + "-" + draw(r, HEX, 64),
    ),
    "slack webhook": (
        "SLACK_WEBHOOK_URL",
        lambda r: "https://hooks.slack" + ".com/services/T0" + draw(r, ascii_uppercase + digits, 8)
        + "/B0" + draw(r, ascii_uppercase + digits, 8) + "/" + draw(r, ALNUM, 24),
    ),
    "stripe key": ("STRIPE_SECRET_KEY", lambda r: r.choice(["sk", "rk"]) + "_li" + "ve_" + draw(r, ALNUM, r.choice([24, 99]))),
    "stripe webhook secret": ("STRIPE_WEBHOOK_SECRET", lambda r: "wh" + "sec_" + draw(r, ALNUM, 32)),
    "twilio key": ("TWILIO_API_KEY", lambda r: "S" + "K" + draw(r, HEX, 32)),
    "sendgrid key": ("SENDGRID_API_KEY", lambda r: "S" + "G." + draw(r, URLSAFE, 22) + "." + draw(r, URLSAFE, 43)),
    "npm token": ("NPM_TOKEN", lambda r: "np" + "m_" + draw(r, ALNUM, 36)),
    "pypi token": ("TWINE_PASSWORD", lambda r: "py" + "pi-AgEIcHlwaS5vcmc" + draw(r, URLSAFE, 150)),
    "docker hub token": ("DOCKER_TOKEN", lambda r: "dckr" + "_pat_" + draw(r, URLSAFE, 27)),
    "hugging face token": ("HF_TOKEN", lambda r: "h" + "f_" + draw(r, ascii_letters, 34)),
    "discord bot token": (
        "DISCORD_TOKEN",
        lambda r: "M" + b64(r, 18, safe=True)[:23] + "." + draw(r, URLSAFE, 6) + "." + draw(r, URLSAFE, 38),
    ),
    "telegram bot token": ("TELEGRAM_BOT_TOKEN", lambda r: draw(r, "123456789", 10) + ":A" + "A" + draw(r, URLSAFE, 33)),
    "digitalocean token": ("DIGITALOCEAN_TOKEN", lambda r: "dop" + "_v1_" + draw(r, HEX, 64)),
    "heroku key": ("HEROKU_API_KEY", lambda r: "HRKU" + "-AA" + draw(r, URLSAFE, 58)),
    "azure client secret": (
        "AZURE_CLIENT_SECRET", lambda r: draw(r, ALNUM, 3) + draw(r, digits, 1) + "Q" + "~" + draw(r, ALNUM + "-_.~", 34)
    ),
    "databricks token": ("DATABRICKS_TOKEN", lambda r: "da" + "pi" + draw(r, HEX, 32)),
    "shopify token": ("SHOPIFY_TOKEN", lambda r: "shp" + "at_" + draw(r, HEX, 32)),
    "square token": ("SQUARE_TOKEN", lambda r: "EAA" + "A" + draw(r, URLSAFE, 60)),
    "linear key": ("LINEAR_API_KEY", lambda r: "lin" + "_api_" + draw(r, ALNUM, 40)),
    "notion token": ("NOTION_TOKEN", lambda r: "nt" + "n_" + draw(r, digits, 11) + draw(r, ALNUM, 35)),
    "postman key": ("POSTMAN_API_KEY", lambda r: "PM" + "AK-" + draw(r, HEX, 24) + "-" + draw(r, HEX, 34)),
    "new relic key": ("NEW_RELIC_API_KEY", lambda r: "NR" + "AK-" + draw(r, ascii_uppercase + digits, 27)),
    "sentry token": ("SENTRY_AUTH_TOKEN", lambda r: "sntr" + "yu_" + draw(r, HEX, 64)),
    "grafana token": ("GRAFANA_TOKEN", lambda r: "gl" + "sa_" + draw(r, ALNUM, 32) + "_" + draw(r, HEX, 8)),
    "vault token": ("VAULT_TOKEN", lambda r: "hv" + "s." + draw(r, URLSAFE, 95)),
    "terraform token": ("TFE_TOKEN", lambda r: draw(r, ALNUM, 14) + ".atlas" + "v1." + draw(r, URLSAFE, 67)),
    "atlassian token": ("JIRA_API_TOKEN", lambda r: "ATA" + "TT3xFfGF0" + draw(r, URLSAFE, 171) + "=" + draw(r, "0123456789ABCDEF", 8)),
    "supabase token": ("SUPABASE_ACCESS_TOKEN", lambda r: "sb" + "p_" + draw(r, HEX, 40)),
    "planetscale token": ("PLANETSCALE_TOKEN", lambda r: "pscale" + "_tkn_" + draw(r, URLSAFE, 43)),
    "groq key": ("GROQ_API_KEY", lambda r: "gs" + "k_" + draw(r, ALNUM, 52)),
    "perplexity key": ("PERPLEXITY_API_KEY", lambda r: "pp" + "lx-" + draw(r, ALNUM, 48)),
    "replicate token": ("REPLICATE_API_TOKEN", lambda r: "r" + "8_" + draw(r, ALNUM, 37)),
    "openrouter key": ("OPENROUTER_API_KEY", lambda r: "sk-" + "or-v1-" + draw(r, HEX, 64)),
    "xai key": ("XAI_API_KEY", lambda r: "xa" + "i-" + draw(r, ALNUM, 80)),
    "airtable token": ("AIRTABLE_TOKEN", lambda r: "pa" + "t" + draw(r, ALNUM, 14) + "." + draw(r, HEX, 64)),
    "figma token": ("FIGMA_TOKEN", lambda r: "fi" + "gd_" + draw(r, URLSAFE, 40)),
    "doppler token": ("DOPPLER_TOKEN", lambda r: "dp" + ".pt." + draw(r, ALNUM, 43)),
    "rubygems key": ("GEM_HOST_API_KEY", lambda r: "ruby" + "gems_" + draw(r, HEX, 48)),
    "alibaba key id": ("ALIBABA_ACCESS_KEY_ID", lambda r: "LT" + "AI" + draw(r, ALNUM, 20)),
    "tailscale key": ("TS_AUTHKEY", lambda r: "ts" + "key-auth-" + draw(r, ALNUM, 12) + "CNTRL-" + draw(r, ALNUM, 32)),
    "pulumi token": ("PULUMI_ACCESS_TOKEN", lambda r: "pu" + "l-" + draw(r, HEX, 40)),
    "age key": ("AGE_KEY", lambda r: "AGE-SECRET" + "-KEY-1" + draw(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "mailgun key": ("MAILGUN_API_KEY", lambda r: "ke" + "y-" + draw(r, HEX, 32)),
    "json web token": ("ID_TOKEN", jwt),
    "random string": ("VALUE", lambda r: draw(r, ALNUM, 15) + r.choice("+/-_") + draw(r, ALNUM, r.choice([24, 28, 48]))),
}  # fmt: skip
"""Secrets that can be told by what they look like, wherever they stand."""


def _aws_secret(r: Random) -> tuple[str, str]:
    secret = b64(r, 30)
    return secret, r.choice([
        "aws_secret_access_key = {s}", "export AWS_SECRET_ACCESS_KEY={s}", '"SecretAccessKey": "{s}",',
        "AWS_SECRET_ACCESS_KEY: {s}", "aws configure set aws_secret_access_key {s}",
    ])  # fmt: skip


def _hex_of_service(r: Random) -> tuple[str, str]:
    return draw(r, HEX, 32), r.choice([
        "DD_API_KEY={s}", "datadog:\n  apiKey: {s}", "TWILIO_AUTH_TOKEN={s}", 'twilio_auth_token = "{s}"',
        "api_key: '{s}'", "X-Api-Key: {s}", 'const apiKey = "{s}";', "--api-key={s}", "?api_key={s}&page=2",
    ])  # fmt: skip


def _cloudflare(r: Random) -> tuple[str, str]:
    return draw(r, URLSAFE, 40), r.choice([
        "CLOUDFLARE_API_TOKEN={s}", 'cloudflare_api_token = "{s}"', "CF_API_TOKEN: {s}", "set CLOUDFLARE_API_TOKEN={s}",
    ])  # fmt: skip


def _azure_storage(r: Random) -> tuple[str, str]:
    return b64(r, 64), (
        "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={s};EndpointSuffix=core.windows.net"
    )


WORDS = ("Tr0ub4dor", "correct", "horse", "Winter", "zephyr", "Kraken", "mango", "Blau", "quiet", "otter")


def password(r: Random) -> str:
    word = r.choice(WORDS)
    return word + r.choice("!#%*-_") + draw(r, ALNUM, r.randint(4, 10)) + r.choice("!#*?") * r.randint(0, 1)


def _url(r: Random) -> tuple[str, str]:
    return draw(r, ALNUM, r.randint(8, 20)), r.choice([
        "postgres://app:{s}@db.internal:5432/shop", "DATABASE_URL=postgresql+psycopg://shop:{s}@10.0.0.5/shop",
        "mongodb+srv://admin:{s}@cluster0.ab1cd.mongodb.net/test", "redis://:{s}@cache:6379/0",
        "amqp://worker:{s}@rabbit.internal:5672/%2f", "mysql://root:{s}@127.0.0.1/app",
        "git clone https://ada:{s}@git.example.com/ada/shop.git", "https://x-access-token:{s}@github.com/acme/shop",
        "broker_url = 'redis://default:{s}@redis.example.com:6380'", "ftp://deploy:{s}@ftp.example.com/www",
    ])  # fmt: skip


def _assigned(r: Random) -> tuple[str, str]:
    return password(r), r.choice([
        "password={s}", 'password = "{s}"', "password: {s}", "'password': '{s}',", '"password": "{s}"',
        'db_password := "{s}"', "passwd={s}", "pwd = '{s}'", "--password={s}", "--password {s} --user ada",
        'DB_PASS="{s}"', "user=ada password={s} host=db", '<add key="Password" value="{s}"/>',
        "The password is {s} for staging.", "비밀번호: {s}", "密码：{s}", "パスワード: {s}",
    ])  # fmt: skip


def _dotenv(r: Random) -> tuple[str, str]:
    return draw(r, ALNUM, r.randint(12, 40)), r.choice([
        "DEBUG=1\nSECRET_KEY={s}\nPORT=8000", "JWT_SECRET={s}", "SESSION_SECRET='{s}'\nNODE_ENV=production",
        "APP_KEY=base64:{s}=", "POSTGRES_PASSWORD={s}", "ENCRYPTION_KEY={s}", "ADMIN_TOKEN={s}",
        "SMTP_PASSWORD={s}\nSMTP_HOST=mail.example.com", "export WEBHOOK_SECRET={s}", "S3_SECRET={s}",
        "AUTH_TOKEN={s}", "CLIENT_SECRET={s}", "PRIVATE_KEY={s}", "MYSQL_ROOT_PASSWORD: {s}",
    ])  # fmt: skip


def _basic(r: Random) -> tuple[str, str]:
    return base64.b64encode(f"ada:{password(r)}{draw(r, ALNUM, 6)}".encode()).decode(), r.choice([
        "Authorization: Basic {s}", "curl -H 'Authorization: Basic {s}' https://x.example.com",
        '{{"Authorization": "Basic {s}"}}', "//registry.npmjs.org/:_auth={s}", '"auth": "{s}"',
    ])  # fmt: skip


def _bearer(r: Random) -> tuple[str, str]:
    return draw(r, ALNUM, 32), r.choice([
        "Authorization: Bearer {s}", "curl -H 'Authorization: Bearer {s}' https://x.example.com",
        "headers = {{'Authorization': 'Bearer {s}'}}", "Authorization: token {s}", "Private-Token: {s}",
    ])  # fmt: skip


def _command(r: Random) -> tuple[str, str]:
    return password(r), r.choice([
        "curl -u ada:{s} https://x.example.com/export", "machine git.example.com login ada password {s}",
        "mysql -u root -p'{s}' shop", "sshpass -p '{s}' ssh ada@10.0.0.5", "PGPASSWORD={s} psql -h db shop",
        "docker login -u ada -p {s} registry.example.com", "curl --user 'ada:{s}' ftp://x.example.com",
        "redis-cli -a '{s}' ping",
    ])  # fmt: skip


LABELLED: dict[str, Callable[[Random], tuple[str, str]]] = {
    "aws secret key": _aws_secret,
    "key of a service, in hex": _hex_of_service,
    "cloudflare token": _cloudflare,
    "azure storage key": _azure_storage,
    "password in a url": _url,
    "password that is assigned": _assigned,
    "line of a .env file": _dotenv,
    "basic authorization": _basic,
    "bearer token": _bearer,
    "password in a command": _command,
}
"""Secrets that only the words beside them give away."""


def _pem(r: Random, label: str, *, escaped: bool) -> Positive:
    body = b64(r, 1190)
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    begin, end = f"-----BEGIN {label}-----", f"-----END {label}-----"
    if escaped:
        whole = "\\n".join([begin, *lines, end])
        text = f'{{"type": "service_account", "private_key": "{whole}\\n", "client_id": "1"}}'
    else:
        text = "\n".join(["$ cat key.pem", begin, *lines, end, "$ ls"])
    return Positive("private key block", text, tuple(lines))


def positives(seed: int = 1) -> Iterator[Positive]:
    """All of them, always the same ones for a seed."""
    random = Random(seed)
    for kind, (name, drawn) in TOKENS.items():
        for place in PLACES[:EACH]:
            secret = drawn(random)
            yield Positive(kind, place.format(s=secret, n=name), (secret,))
    for kind, make in LABELLED.items():
        for _ in range(2 * EACH):
            secret, place = make(random)
            yield Positive(kind, place.format(s=secret), (secret,))
    for label in ("RSA PRIVATE" + " KEY", "PRIVATE" + " KEY", "EC PRIVATE" + " KEY", "OPENSSH PRIVATE" + " KEY",
                  "ENCRYPTED PRIVATE" + " KEY"):  # fmt: skip
        yield _pem(random, label, escaped=False)
        yield _pem(random, label, escaped=True)
