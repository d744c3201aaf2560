-- The rules of virtual models, as JSON; null for a model that answers itself.
alter table models add column rules text;
