-- When a developer's listener stops receiving events. See ADR 0223. Servers of the previous version create none, and fail to reach its target.
ALTER TABLE subscription ADD COLUMN listen_until TIMESTAMPTZ(3);
