-- The verdicts of checks of guards on the request of a line, so that they are not asked again for its result; NULL for none.
alter table relayed_lines add column sealed_verdicts bytea;
