-- Triggers of the audit log, of stored responses and of usage sums.

create or replace function audit_refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'entries of the audit log are never changed or deleted';
  end
$$;

-- A transaction that sets `switchyard.audit_before_ms` may delete entries before that time.
create or replace function audit_refuse_deletion() returns trigger language plpgsql as $$
  begin
    if old.at_ms < coalesce(nullif(current_setting('switchyard.audit_before_ms', true), ''), '0')::bigint then
      return old;
    end if;
    raise exception 'entries of the audit log are never changed or deleted';
  end
$$;

-- A transaction that sets `switchyard.audit_pseudonym` may replace a person in entries by that pseudonym, and change
-- nothing else.
create or replace function audit_refuse_rewriting() returns trigger language plpgsql as $$
  declare
    pseudonym text := current_setting('switchyard.audit_pseudonym', true);
  begin
    if coalesce(pseudonym like 'erased-________'
      and new."sequence" is not distinct from old."sequence"
      and new."at_ms" is not distinct from old."at_ms"
      and new."actor_kind" is not distinct from old."actor_kind"
      and new."request_id" is not distinct from old."request_id"
      and new."action" is not distinct from old."action"
      and new."account_id" is not distinct from old."account_id"
      and (new."actor_id" is not distinct from old."actor_id" or (old."actor_id" is not null and strpos(new."actor_id", pseudonym) > 0))
      and (new."actor_name" is not distinct from old."actor_name" or (old."actor_name" is not null and strpos(new."actor_name", pseudonym) > 0))
      and (new."address" is not distinct from old."address" or (old."address" is not null and strpos(new."address", pseudonym) > 0))
      and (new."object_id" is not distinct from old."object_id" or (old."object_id" is not null and strpos(new."object_id", pseudonym) > 0))
      and (new."before" is not distinct from old."before" or (old."before" is not null and strpos(new."before", pseudonym) > 0))
      and (new."after" is not distinct from old."after" or (old."after" is not null and strpos(new."after", pseudonym) > 0)), false) then
      return new;
    end if;
    raise exception 'entries of the audit log are never changed or deleted';
  end
$$;

create or replace function responses_counted() returns trigger language plpgsql as $$
begin
  insert into response_usage as known
  select account_id, count(*), sum(octet_length(sealed_input) + octet_length(sealed_response))
  from changed group by account_id order by account_id
  on conflict (account_id) do update
  set responses = known.responses + excluded.responses, bytes = known.bytes + excluded.bytes;
  return null;
end $$;

create or replace function responses_discounted() returns trigger language plpgsql as $$
begin
  perform 1 from response_usage where account_id in (select account_id from changed) order by account_id for update;
  update response_usage as known
  set responses = known.responses - gone.responses, bytes = known.bytes - gone.bytes
  from (
    select account_id, count(*) as responses, sum(octet_length(sealed_input) + octet_length(sealed_response)) as bytes
    from changed group by account_id
  ) as gone
  where known.account_id = gone.account_id;
  return null;
end $$;

create or replace function usage_count_account_days() returns trigger language plpgsql as $$
begin
  insert into usage_account_days (account_id, day_ms, cost_nano, requests)
    select account_id, at_ms - at_ms % 86400000, sum(cost_nano), sum(requests) from moved where tag = '' group by 1, 2
    on conflict (account_id, day_ms) do update set
      cost_nano = usage_account_days.cost_nano + excluded.cost_nano, requests = usage_account_days.requests + excluded.requests;
  return null;
end
$$;
