"""Texts without a secret that look as if they had one: what coding sessions are full of."""

import base64
import hashlib
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

ALNUM = ascii_letters + digits
HEX = digits + "abcdef"
EACH = 50
"""How many of each kind."""


@dataclass(frozen=True)
class Harmless:
    """A text of which not a letter may be taken.

    Args:
        kind: what it looks like.
        text: the text.
    """

    kind: str
    text: str


def draw(random: Random, letters: str, length: int) -> str:
    return "".join(random.choices(letters, k=length))


WORDS = [
    "order",
    "user",
    "invoice",
    "payment",
    "session",
    "token",
    "password",
    "secret",
    "key",
    "cache",
    "queue",
    "retry",
    "handler",
    "factory",
    "provider",
    "manager",
    "service",
    "client",
    "request",
    "response",
    "stream",
    "buffer",
    "index",
    "vector",
    "store",
    "memory",
    "config",
    "schema",
    "parser",
    "builder",
    "renderer",
]


def camel(r: Random, parts: int) -> str:
    return "".join(word.capitalize() for word in r.choices(WORDS, k=parts))


def snake(r: Random, parts: int) -> str:
    return "_".join(r.choices(WORDS, k=parts))


def _sha(r: Random) -> str:
    return r.choice([
        f"commit {draw(r, HEX, 40)}\nAuthor: Ada <ada@example.com>", f"{draw(r, HEX, 7)} Fix the login form",
        f"Merge {draw(r, HEX, 40)} into {draw(r, HEX, 40)}", f"index {draw(r, HEX, 7)}..{draw(r, HEX, 7)} 100644",
        f"uses: actions/checkout@{draw(r, HEX, 40)} # v4", f"HEAD is now at {draw(r, HEX, 9)} wip",
    ])  # fmt: skip


def _digest(r: Random) -> str:
    return r.choice([
        f"{draw(r, HEX, 64)}  dist/app-1.2.0.tar.gz", f"md5: {draw(r, HEX, 32)}", f"FROM python@sha256:{draw(r, HEX, 64)}",
        f'ETag: "{draw(r, HEX, 32)}"', f"sha1 {draw(r, HEX, 40)}", f'checksum = "{draw(r, HEX, 64)}"',
        f"cache key: {draw(r, HEX, 64)}", f"content_hash={draw(r, HEX, 32)}",
    ])  # fmt: skip


def _uuid(r: Random) -> str:
    one = uuid.UUID(bytes=r.randbytes(16), version=4)
    return r.choice([
        f"session {one} started", f'{{"id": "{one}", "parentUuid": "{uuid.UUID(bytes=r.randbytes(16), version=4)}"}}',
        f"GET /v1/orders/{one} 200 12ms", f"request_id={one}", f"~/.claude/projects/-home-ada/{one}.jsonl",
    ])  # fmt: skip


def _lock(r: Random) -> str:
    b64 = base64.b64encode(r.randbytes(64)).decode()
    return r.choice([
        f'"resolved": "https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz",\n"integrity": "sha512-{b64}"',
        f"  resolution: {{integrity: sha512-{b64}}}",
        f"github.com/spf13/cobra v1.8.0 h1:{base64.b64encode(r.randbytes(32)).decode()}",
        f'    {{file = "ruff-0.14.0.tar.gz", hash = "sha256:{draw(r, HEX, 64)}"}},',
        f'[[package]]\nname = "serde"\nversion = "1.0.2"\nchecksum = "{draw(r, HEX, 64)}"',
        f"    --hash=sha256:{draw(r, HEX, 64)} \\",
        f'  "react@npm:^19.0.0":\n    checksum: 10c0/{draw(r, HEX, 128)}',
    ])  # fmt: skip


def _image(r: Random) -> str:
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n" + r.randbytes(r.randint(200, 900))).decode()
    return r.choice([
        f"![shot](data:image/png;base64,{data})", f'<img src="data:image/png;base64,{data}">',
        f'{{"type": "image", "source": {{"type": "base64", "media_type": "image/png", "data": "{data}"}}}}',
        f"background: url(data:font/woff2;base64,{data})",
    ])  # fmt: skip


def _placeholder(r: Random) -> str:
    return r.choice([
        "OPENAI_API_KEY=your-api-key-here", 'api_key = "<YOUR_API_KEY>"', "password: ${DB_PASSWORD}", "TOKEN=$GITHUB_TOKEN",
        "export AWS_SECRET_ACCESS_KEY=...", 'password = os.environ["DB_PASSWORD"]', "secret: {{ secrets.DEPLOY_KEY }}",
        "api_key=sk-xxxxxxxxxxxxxxxxxxxxxxxx", 'token = getpass("Token: ")', "password=********", "apiKey: process.env.API_KEY,",
        "token: ${{ secrets.GITHUB_TOKEN }}", 'password = ""', "PASSWORD=changeme", "auth_token = None", "SECRET_KEY=replace_me",
        "postgres://user:password@localhost:5432/db", "postgres://${USER}:${PASS}@db/app", "https://user:***@example.com/",
        "password = args.password", "const token = await getToken();", "redis://localhost:6379/0", 'secret_key = config["secret_key"]',
        "Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "curl -u user:password https://example.com",
    ])  # fmt: skip


def _fixture(r: Random) -> str:
    return r.choice([
        'user = User(name="ada", password="test")', "login(username='test', password='test1234')",
        'assert validate_password("short") is False', 'token = "token"', 'API_KEY = "test"', 'headers={"X-Api-Key": "test-key"}',
        "fake_token = 'abc123'", '{"password": "password"}', 'mock.patch("auth.get_token", return_value="token")',
        'monkeypatch.setenv("API_KEY", "dummy")', "SECRET = 'secret'", 'password="example"', "expect(body.token).toBeDefined()",
        'let(:password) { "password123" }', 'data-testid="password-input"', 'assert secret == "foo"',
    ])  # fmt: skip


def _code(r: Random) -> str:
    a, b = camel(r, 3), snake(r, 3)
    return r.choice([
        f"def {b}(password: str, token: str | None = None) -> None:", f"max_tokens={r.randint(100, 9000)}, temperature=0.2",
        f"tokens = tokenizer.encode({b})", "if password != confirm_password: raise ValueError", f"class {a}TokenFactory:",
        "password = forms.CharField(widget=forms.PasswordInput())", f"primary_key = {b}_id", f"sort_key: {b}",
        f"key = lambda item: item.{b}", "public_key = load_pem_public_key(data)", f"self.secret_manager = {a}()",
        "token = next(iterator)", f"const {{ token, refreshToken }} = use{a}();", "foreign_key: user_id", f'cache_key = f"{b}:{{user}}"',
        "password_hash = bcrypt.hashpw(password, salt)", "SELECT password FROM users WHERE token = ?", "keyboard: qwerty",
        "private_key_path = /etc/ssl/private/server.key", "author: ada, tokenizer: cl100k_base", f'api_key_header = "X-{a}"',
        "input_tokens: 18234, output_tokens: 512, cache_read_input_tokens: 120331", "token_type: bearer", "secretName: shop-tls",
        "password: string;", "token?: string | null", "passwordField.setText(value)", "import { getSecret } from './secrets'",
    ])  # fmt: skip


def _identifier(r: Random) -> str:
    return r.choice([
        f"com.example.{snake(r, 1)}.internal.{camel(r, 5)}Impl2Test", f"test_{snake(r, 9)}_v2", f"{camel(r, 7)}V3Adapter",
        f"k8s-deploy-{snake(r, 2).replace('_', '-')}-{draw(r, HEX, 10)}-{draw(r, ascii_lowercase + digits, 5)}",
        f"_ZN4core3ptr{r.randint(10, 99)}drop_in_place{r.randint(10, 99)}{camel(r, 3)}17h{draw(r, HEX, 16)}E",
        f"arn:aws:iam::{draw(r, digits, 12)}:role/{camel(r, 3)}-{draw(r, ascii_uppercase + digits, 12)}",
        f"{snake(r, 3).upper()}_{snake(r, 3).upper()}_MAX_SIZE_BYTES", f"css-{draw(r, ascii_lowercase + digits, 7)}-{camel(r, 2)}-root",
    ])  # fmt: skip


def _agent(r: Random) -> str:
    return r.choice([
        f"tool_use_id: toolu_01{draw(r, ALNUM, 22)}", f'{{"id": "msg_01{draw(r, ALNUM, 22)}", "type": "message"}}',
        f"call_{draw(r, ALNUM, 24)}", f'"requestId": "req_011{draw(r, ALNUM, 21)}"', f"chatcmpl-{draw(r, ALNUM, 29)}",
        f"resp_{draw(r, HEX, 48)}", f"01{draw(r, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)}", f"ObjectId('{draw(r, HEX, 24)}')",
        f"trace_id={draw(r, HEX, 32)} span_id={draw(r, HEX, 16)}", f"ses_{draw(r, ALNUM, 26)}",
    ])  # fmt: skip


def _public(r: Random) -> str:
    lines = base64.b64encode(r.randbytes(400)).decode()
    body = "\n".join(lines[start : start + 64] for start in range(0, len(lines), 64))
    return r.choice([
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{base64.b64encode(r.randbytes(32)).decode()[:43]} ada@laptop",
        f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----",
        f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----",
        f"SHA256:{base64.b64encode(r.randbytes(32)).decode()[:43]} ada@laptop (ED25519)",
        f"pk_live_{draw(r, ALNUM, 24)}" if r.random() < 0 else "publishableKey: see the dashboard",
    ])  # fmt: skip


def _url(r: Random) -> str:
    return r.choice([
        f"https://github.com/acme/shop/blob/{draw(r, HEX, 40)}/src/app.ts#L{r.randint(1, 400)}",
        f"https://www.youtube.com/watch?v={draw(r, ALNUM, 11)}", f"https://cdn.example.com/assets/main.{draw(r, HEX, 8)}.js",
        f"https://docs.google.com/document/d/1{draw(r, ALNUM + '-_', 43)}/edit", "ssh://git@github.com:22/acme/shop.git",
        f"https://files.pythonhosted.org/packages/{draw(r, HEX, 2)}/{draw(r, HEX, 2)}/{draw(r, HEX, 60)}/ruff-0.14.0-py3-none-any.whl",
        "http://localhost:3000/reset-password?next=/account", f"https://example.com/search?q={snake(r, 2)}&page=2&sort=key",
        f"https://www.figma.com/file/{draw(r, ALNUM, 22)}/Shop", f"s3://shop-data/year=2026/part-00000-{draw(r, HEX, 8)}.parquet",
    ])  # fmt: skip


def _numbers(r: Random) -> str:
    return r.choice([
        f'{r.randint(1, 255)}.0.0.1 - - [13/Apr/2026:09:00:00 +0000] "GET / HTTP/1.1" 200 {r.randint(1, 99999)}',
        ":".join(draw(r, HEX, 4) for _ in range(8)), ":".join(draw(r, HEX, 2) for _ in range(6)),
        f"0x{draw(r, HEX, 16)} in main () at main.c:{r.randint(1, 300)}", f"#{draw(r, HEX, 6)} and #{draw(r, HEX, 6)}",
        f"{draw(r, HEX, 8)}: " + " ".join(draw(r, HEX, 4) for _ in range(8)) + "  ................",
        f"2026-04-13T09:00:0{r.randint(0, 9)}.{draw(r, digits, 9)}Z", f"ISBN 978-{draw(r, digits, 10)}, DOI 10.1000/xyz{draw(r, digits, 4)}",
        f"pi = 3.14159265358979323846264338327950288{draw(r, digits, 12)}", f"version 1.{r.randint(0, 99)}.{r.randint(0, 99)}-rc.2+build.{draw(r, HEX, 8)}",
    ])  # fmt: skip


SENTENCES = (
    "비밀번호는 1Password에 저장하고 코드에는 넣지 마세요.",
    "토큰이 만료되면 다시 로그인해야 합니다.",
    "로그인 화면에서 비밀번호 재설정 링크를 눌러 주세요.",
    "API 속도 제한이 존당 10,000 req/s로 올라갔어.",
    "密码必须至少有十二个字符。",
    "令牌过期后需要重新登录，密钥由运维管理。",
    "默认使用深色模式，不要用 npm。",
    "这个密钥轮换流程每九十天执行一次。",
    "パスワードは環境変数から読み込んでください。",
    "トークンの有効期限は一時間です。",
    "秘密鍵はサーバーにだけ置きます。",
    "認証にはOAuthを使うことにしました。",
    "Bitte das Passwort nicht im Klartext speichern.",
    "Le jeton expire au bout d'une heure.",
    "Пароль хранится в менеджере паролей.",
    "The password must have at least twelve characters.",
    "We rotate the API key every ninety days.",
    "The token is stored in the keychain.",
    "Ask ops for the secret: they keep it in Vault.",
    "Password: see 1Password, vault Engineering.",
    "The secret is out: we ship on Monday!",
    "Is the auth token refreshed automatically?",
    "My private key never leaves the YubiKey.",
    "The session key should be derived with HKDF.",
    "token: the smallest unit the parser knows",
    "The password is wrong, says the log.",
    "Reset password flow is broken on Safari.",
)


def _prose(r: Random) -> str:
    return f"{r.choice(SENTENCES)} {r.choice(SENTENCES)}"


def _minified(r: Random) -> str:
    body = ";".join(
        f"function {draw(r, ascii_lowercase, 1)}({draw(r, ascii_lowercase, 1)}){{return {draw(r, ascii_lowercase, 2)}.{camel(r, 2)}({r.randint(0, 99)})}}"
        for _ in range(6)
    )
    vlq = ",".join(draw(r, ALNUM + "+/", 4) for _ in range(30))
    return r.choice(
        [
            f"!{body}",
            f'{{"version":3,"mappings":"{vlq};{vlq}"}}',
            f"a{{color:#{draw(r, HEX, 6)}}}.{draw(r, ascii_lowercase, 3)}-{draw(r, ALNUM, 5)}{{margin:0}}",
        ]
    )


def _paths(r: Random) -> str:
    return r.choice([
        f"/home/ada/.cache/pre-commit/repo{draw(r, ascii_lowercase + digits + '_', 8)}/py_env-python3.11/bin/ruff",
        f"/nix/store/{draw(r, ascii_lowercase + digits, 32)}-python3-3.11.9/bin/python", f"/var/folders/zz/{draw(r, ALNUM + '_', 30)}/T/tmp{draw(r, ALNUM, 8)}",
        f"node_modules/.pnpm/@babel+core@7.26.0_{draw(r, HEX, 32)}/node_modules/@babel/core", f"src/auth/password_reset/token_generator_{snake(r, 2)}.py:{r.randint(1, 500)}",
        f"/app/.next/static/chunks/pages/_app-{draw(r, HEX, 16)}.js", f".venv/lib/python3.11/site-packages/{snake(r, 3)}/{camel(r, 3)}/__init__.py",
        f"C:\\Users\\Ada\\AppData\\Local\\Temp\\{camel(r, 2)}{draw(r, digits, 6)}\\{camel(r, 4)}.dll",
    ])  # fmt: skip


def _hashed(r: Random) -> str:
    digest = hashlib.sha256(r.randbytes(8)).hexdigest()
    return r.choice([
        f"expected digest {digest}, got {hashlib.sha256(r.randbytes(8)).hexdigest()}", f'assert fingerprint(data) == "{digest[:32]}"',
        f"blob {digest[:40]} 512 src/main.rs", f"layer sha256:{digest}: Pull complete", f'"etag": "W/\\"{digest[:20]}\\""',
        f"artifact-{digest[:12]}.zip uploaded ({r.randint(1, 900)} kB)", f"snapshot_id = {digest[:16]}", f"nonce='{digest[:16]}' script-src",
    ])  # fmt: skip


KINDS: dict[str, tuple[int, Callable[[Random], str]]] = {
    "git": (3, _sha),
    "digest": (3, _digest),
    "uuid": (3, _uuid),
    "lock file": (4, _lock),
    "image": (2, _image),
    "placeholder": (3, _placeholder),
    "test fixture": (2, _fixture),
    "code": (4, _code),
    "identifier": (3, _identifier),
    "id of an agent or a trace": (3, _agent),
    "public key": (2, _public),
    "url": (3, _url),
    "numbers": (2, _numbers),
    "prose in nine languages": (3, _prose),
    "minified": (1, _minified),
    "path": (2, _paths),
    "hash": (2, _hashed),
}
"""Kind -> (how many times fifty, how one is drawn)."""


def harmless(seed: int = 2) -> Iterator[Harmless]:
    """All of them, always the same ones for a seed."""
    random = Random(seed)
    for kind, (times, make) in KINDS.items():
        for _ in range(times * EACH):
            yield Harmless(kind, make(random))
