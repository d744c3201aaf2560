-- The cheaper model of a budget, and its higher amount for a limited time, as JSON. An earlier version refuses requests past the amount.
alter table accounts add column budget_then text;
alter table accounts add column budget_raise text;
alter table credentials add column budget_then text;
alter table credentials add column budget_raise text;
