-- The changes of a request's model, as a JSON array of their kind, models and reason; NULL if it kept its model.
alter table request_log add column model_steps text;

-- The models that are asked if this one cannot answer, as a JSON array of ids; NULL for none.
alter table models add column fallbacks text;
-- The same for every request of the account.
alter table accounts add column fallbacks text;
