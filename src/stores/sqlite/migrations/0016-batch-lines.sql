-- The batch whose line a request was; NULL for all other requests.
alter table request_log add column batch_id text;

-- The percentage of its prices that a line of a batch costs; NULL for the gateway's setting.
alter table models add column batch_price_percent integer;

-- The charge of an answered line as JSON, written before it is charged; NULL for lines without a charge.
alter table batch_lines add column charge text;
