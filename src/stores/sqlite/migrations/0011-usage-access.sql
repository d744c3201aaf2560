-- What a key may read about spending: `none`, `key` or `account`. NULL for `key`, and for management tokens.
alter table credentials add column usage_access text;
