-- Whether the requests of a key are captured, `none` or `full`; NULL for what its account says.
alter table credentials add column capture text;

-- The days for which the captures of an account are kept, if shorter than the general retention; NULL for that.
alter table accounts add column capture_days integer;
create index accounts_with_capture_days on accounts (id) where capture_days is not null;
