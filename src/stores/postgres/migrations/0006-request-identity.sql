-- The client's own id of a request and the trace that it belongs to. The indexes are by block of 16,384 lines first, so
-- that new lines touch few pages (docs/decisions/043-ids-of-requests.md). A line without an id has no entry.
alter table request_log add column client_request_id text collate "C";
alter table request_log add column trace_id text collate "C";
create index request_log_by_client_id on request_log ((id / 16384), client_request_id)
  where client_request_id is not null;
create index request_log_by_trace on request_log ((id / 16384), trace_id) where trace_id is not null;

-- The ids that the client gave the request that created the task, as JSON.
alter table tasks add column client_ids text;

-- The ids that the channel's upstream gets, as a JSON array; NULL for those of the gateway's settings.
alter table channels add column forward_ids text;
