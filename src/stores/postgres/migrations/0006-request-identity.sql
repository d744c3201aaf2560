-- The client's own id of a request and the trace that it belongs to. A line without one costs no entry of an index. The
-- indexes also order the lines, so that the planner prefers them to the one by time.
alter table request_log add column client_request_id text collate "C";
alter table request_log add column trace_id text collate "C";
create index request_log_by_client_id on request_log (client_request_id, at_ms, id)
  where client_request_id is not null;
create index request_log_by_trace on request_log (trace_id, at_ms, id) where trace_id is not null;
