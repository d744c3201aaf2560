-- `costed_requests` counts the requests whose upstream cost is known, so that an unknown one is not mistaken for zero.
alter table usage_deltas add column upstream_cost_nano bigint not null default 0;
alter table usage_deltas add column costed_requests bigint not null default 0;
alter table usage_rollups add column upstream_cost_nano bigint not null default 0;
alter table usage_rollups add column costed_requests bigint not null default 0;
