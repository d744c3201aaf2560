-- Whether lines of batches are relayed to the provider's own batches, `relay`; NULL if the gateway runs them itself.
alter table channels add column batches text collate "C";

-- The provider's batch that has the line; the empty text if the gateway has to run it itself, NULL if that is open.
alter table batch_lines add column relay text collate "C";

-- The batches at providers that carry lines. They exist until their results are stored.
create table relayed_batches (
  id text collate "C" not null primary key,
  batch_id text collate "C" not null,
  place text collate "C" not null,
  endpoint text collate "C" not null,
  model text collate "C" not null,
  stage text collate "C" not null check (stage in ('collecting', 'submitting', 'running')),
  lines bigint not null,
  bytes bigint not null,
  created_at_ms bigint not null,
  submitted_at_ms bigint,
  upstream_file_id text collate "C",
  upstream_id text collate "C"
);
create index relayed_batches_by_batch on relayed_batches (batch_id, created_at_ms, id);
create index relayed_batches_by_place on relayed_batches (place);

-- Their lines without a result. The content is the request for the provider.
create table relayed_lines (
  relay_id text collate "C" not null references relayed_batches (id),
  number bigint not null,
  request_id text collate "C" not null,
  model_id text collate "C" not null,
  sealed_content bytea not null,
  primary key (relay_id, number)
);
