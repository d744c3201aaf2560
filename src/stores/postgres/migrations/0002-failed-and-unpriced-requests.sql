-- The texts of a failed request, encrypted, since they may quote a prompt.
alter table request_log add column sealed_failure text;

-- Requests with an unknown cost, so that sums without a price do not look free. Sums from before count none.
alter table usage_deltas add column unpriced_requests bigint not null default 0;
alter table usage_rollups add column unpriced_requests bigint not null default 0;
