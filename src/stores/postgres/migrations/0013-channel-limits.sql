-- The limits on requests to the channel's upstream, and how requests wait while it is at one, as JSON; NULL for no limits,
-- and for the gateway's queue. 0 if the limits that the provider states are not followed.
alter table channels add column limits text;
alter table channels add column queue text;
alter table channels add column follow_provider_limits smallint;
