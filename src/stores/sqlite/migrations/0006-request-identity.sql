-- The client's own id of a request and the trace that it belongs to. The indexes are by block of 1,024 lines first, so
-- that new lines touch few pages (docs/decisions/043-ids-of-requests.md). A line without an id has no entry.
alter table request_log add column client_request_id text;
alter table request_log add column trace_id text;
create index request_log_by_client_id on request_log ((id / 1024), client_request_id)
  where client_request_id is not null;
create index request_log_by_trace on request_log ((id / 1024), trace_id) where trace_id is not null;
