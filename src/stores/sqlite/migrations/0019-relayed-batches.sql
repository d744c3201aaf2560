-- Whether lines of batches are relayed to the provider's own batches, `relay`; NULL if the gateway runs them itself.
alter table channels add column batches text;

-- The provider's batch that has the line; the empty text if the gateway has to run it itself, NULL if that is open.
alter table batch_lines add column relay text;

-- The batches at providers that carry lines. They exist until their results are stored.
create table relayed_batches (
  id text not null primary key,
  batch_id text not null,
  place text not null,
  endpoint text not null,
  model text not null,
  stage text not null check (stage in ('collecting', 'submitting', 'running')),
  lines integer not null,
  bytes integer not null,
  created_at_ms integer not null,
  submitted_at_ms integer,
  upstream_file_id text,
  upstream_id text
) strict, without rowid;
create index relayed_batches_by_batch on relayed_batches (batch_id, created_at_ms, id);
create index relayed_batches_by_place on relayed_batches (place);

-- Their lines without a result. The content is the request for the provider.
create table relayed_lines (
  relay_id text not null references relayed_batches (id),
  number integer not null,
  request_id text not null,
  model_id text not null,
  sealed_content blob not null,
  primary key (relay_id, number)
) strict;
