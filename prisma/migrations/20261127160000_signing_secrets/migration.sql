-- Secrets for symmetric signatures of webhooks. See ADR 0218. Servers of the previous version send without them.
ALTER TABLE subscription ADD COLUMN signing_secrets JSONB;
