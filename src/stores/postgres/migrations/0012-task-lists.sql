-- The request of a video as clients see it again, encrypted; when the account asked to cancel the task, and when it deleted it.
-- A deleted task stays for an hour without its content, so that a list can continue after it.
alter table tasks add column sealed_request bytea;
alter table tasks add column cancel_asked_at_ms bigint;
alter table tasks add column deleted_at_ms bigint;

-- Lists of an account's tasks by kind, model, key and outcome, the newest first.
create index tasks_by_account_kind on tasks (account_id, kind, created_at_ms, id);
create index tasks_by_account_model on tasks (account_id, model_id, created_at_ms, id);
create index tasks_by_account_key on tasks (account_id, key_id, created_at_ms, id);
create index tasks_ended_by_account on tasks (account_id, stage, created_at_ms, id) where stage in ('completed', 'failed');
