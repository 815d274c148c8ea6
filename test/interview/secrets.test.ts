import { expect, test } from "vitest";
import { looksLikeKey, looksLikeSecretFile } from "../../runner/interview/secrets.js";
import { quickest } from "../helpers/quickest.js";

test.each([
  [".env"],
  ["deploy/.env.production"],
  [".env-prod"],
  ["prod.env"],
  [".ENV"],
  [".env.bak"],
  [".env~"],
  [".env "],
  [".env copy"],
  [".env (1)"],
  ["id_rsa copy 2"],
  ["server_copy.key"],
  ["server.key - copy"],
  ["..env.swp"],
  [".#.env"],
  [".envrc"],
  ["certs/server.pem"],
  ["server.KEY"],
  ["server.key.old"],
  ["release.jks"],
  ["vault.kdbx"],
  ["client.p12"],
  ["id_rsa"],
  ["keys/id_ed25519"],
  ["id_rsa.bak"],
  [".netrc"],
  ["_netrc"],
  [".npmrc"],
  [".pypirc"],
  [".pgpass"],
  [".git-credentials"],
  [".htpasswd"],
  [".aws/config"],
  ["home/.ssh/known_hosts"],
  [".ssh/"],
  [".kube/config"],
  [".config/gcloud/access_tokens.db"],
  ["credentials"],
  ["credentials.json"],
  ["aws-credentials.yml"],
  ["config/secrets.yml"],
  ["secrets.toml"],
  [".streamlit/secrets.toml"],
  ["app/secrets.py"],
  ["client_secret_123.apps.json"],
  ["service-account.json"],
  ["gcp-service_account-prod.json"],
  ["x-firebase-adminsdk-y.json"],
  ["terraform.tfstate"],
  ["infra/terraform.tfstate.backup"],
  ["prod.auto.tfvars"],
  ["vault_pass.txt"],
  ["passwords.csv"],
])("%s looks like a secret", (path) => {
  expect(looksLikeSecretFile(path)).toBe(true);
});

test.each([
  [".env.example"],
  [".env.sample"],
  [".env.local.template"],
  ["secrets.example.yml"],
  ["environment.py"],
  ["env/main.py"],
  ["src/keys.py"],
  ["src/keyboard.ts"],
  ["monkey.md"],
  ["id_rsa.pub"],
  ["docs/ssh.md"],
  ["tokens.py"],
  ["tokenizer.json"],
  ["shop/secretary.py"],
  ["tests/test_secrets_are_masked.py"],
  ["tests/test_t001_credentials_expire.py"],
  ["tests/test_secrets.py"],
  ["README.md"],
  ["terraform/main.tf"],
  ["package.json"],
  [".gitignore"],
  [".github/workflows/ci.yml"],
  ["accounts/service.py"],
  ["password_reset.py"],
])("%s does not look like a secret", (path) => {
  expect(looksLikeSecretFile(path)).toBe(false);
});

// put together here, so that no scanner takes this file for a leak
const made = (...parts: string[]) => parts.join("");

test.each([
  ["of OpenAI's kind", made("sk-", "proj-Ab3dEf6hIj9kLm2nOp5qRs8t")],
  ["of OpenRouter's kind", made("sk-or-v1-", "0123456789abcdef".repeat(4))],
  ["of GitHub", made("ghp_", "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5")],
  ["of GitLab", made("glpat-", "x1Y2z3A4b5C6d7E8f9G0")],
  ["of AWS", made("AKIA", "IOSFODNN7EXAMPLE")],
  ["of AWS, its secret", made("wJalrXUtnFEMI/K7MD4NG/", "bPxRfi2YEX8MPLEKEY")],
  ["of Slack", made("xoxb-", "123456789012-abcdefGHIJKL")],
  ["of Google", made("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q")],
  ["of Stripe", made("sk_live_", "4eC39HqLyjWDarjtT1zdp7dc")],
  ["a JWT", made("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NSJ9.", "dozjgNryP4J3jVmNHl0w5N")],
  ["a PEM", made("-----BEGIN RSA ", "PRIVATE KEY-----\nMIIE")],
  ["in a URL", made("postgres://app:", "hunter2hunter2@db.example.org/shop")],
  ["of nobody known", made("q7Xk2mP9vR4t", "Wz8bN3cL6yHs")],
  ["of nobody known, in lower case", made("x7k2m9v4t8z3", "b6n1c5l0y9h2s4f8")],
  ["in a sentence", made("use the key ", "ghp_", "aB3dE5gH7jK9mN1pQ3rS5tU7vW9x", ", please")],
])("a key is recognised: %s", (_, text) => {
  expect(looksLikeKey(text)).toBe(true);
});

test.each([
  ["yes"],
  ["Prices are rounded half up to two digits, as shop/prices.py:total does; see also the 2024-05-01 release notes."],
  ["a sk-learn-compatible-estimator-interface"],
  ["7aed9f6c1d5b2e8f4a3c6d9e0b1f2a3c4d5e6f70"],
  ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  ["550e8400-e29b-41d4-a716-446655440000"],
  ["20250101-120000-abcdef"],
  ["/home/ada/projects/shop-2024/src/components/Button2/index.test.tsx"],
  ["tests/test_t012_priority_order_is_kept_after_export_to_csv.py"],
  ["test_user_can_log_in_with_2_factor_auth_when_phone_3_is_lost"],
  ["AbstractSingletonProxyFactoryBean2WithHttp2Support"],
  ["MAX_EVALUATOR_CALLS_PER_TASK_V2_2024_FINAL"],
  ["the variable OPENAI_API_KEY, read from .env"],
  ["https://example.org/docs/2024/10/how-to-do-it?page=2&sort=asc#section-3"],
  ["postgres://user:password@localhost/shop"],
  ["https://github.com/ada/shop/commit/7aed9f6c1d5b2e8f4a3c6d9e0b1f2a3c4d5e6f70"],
  ["(no answer)"],
  ["ssh://git@example.org:2222/ada/shop.git"],
  ["==================================================="],
  ["Donaudampfschifffahrtsgesellschaftskapitän"],
  ["naïve 价格应四舍五入到两位小数"],
])("%s does not look like a key", (text) => {
  expect(looksLikeKey(text)).toBe(false);
});

test("both looks are quick on a long text", async () => {
  const looks = () => {
    for (const text of [
      "a".repeat(100_000),
      "a1".repeat(50_000),
      "sk-".repeat(30_000),
      "://:".repeat(25_000),
      "eyJ".repeat(30_000),
    ]) {
      looksLikeKey(text);
      looksLikeSecretFile(`${text}/.env.${text}`);
    }
  };
  expect(await quickest(looks, 3_000)).toBeLessThan(3_000);
});
