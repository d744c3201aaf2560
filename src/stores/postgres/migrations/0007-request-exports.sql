-- How far each export of the request log has read it, and which process exports.
create table request_exports (
  export_id text primary key,
  holder text,
  until_ms bigint not null,
  progress text not null
);
