-- The search model for hosted web searches over the model, or `none`; NULL for what the gateway's setting says.
alter table models add column search text;

-- The verdicts of guards on the request that made a task, as JSON; NULL for none.
alter table tasks add column guards text;
