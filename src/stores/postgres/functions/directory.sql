-- Triggers that count changes of the directory and record whose rows have changed. A TRUNCATE trigger does not see the
-- rows: it counts as a change of every account.

create or replace function accounts_changed() returns trigger language plpgsql as $$
  begin
    update directory_version set access_version = access_version + 1;
    insert into account_changes (account_id, version)
      select account_id, access_version from directory_version, (select distinct id as account_id from changed) as found
      on conflict (account_id) do update set version = excluded.version;
    return null;
  end
$$;

create or replace function accounts_emptied() returns trigger language plpgsql as $$
  begin
    update directory_version set access_version = access_version + 1;
    insert into account_changes (account_id, version)
      select account_id, access_version from directory_version, (select '' as account_id) as found
      on conflict (account_id) do update set version = excluded.version;
    return null;
  end
$$;

create or replace function credentials_changed() returns trigger language plpgsql as $$
  begin
    update directory_version set access_version = access_version + 1;
    insert into account_changes (account_id, version)
      select account_id, access_version from directory_version, (select distinct account_id as account_id from changed) as found
      on conflict (account_id) do update set version = excluded.version;
    return null;
  end
$$;

create or replace function credentials_emptied() returns trigger language plpgsql as $$
  begin
    update directory_version set access_version = access_version + 1;
    insert into account_changes (account_id, version)
      select account_id, access_version from directory_version, (select '' as account_id) as found
      on conflict (account_id) do update set version = excluded.version;
    return null;
  end
$$;

-- Keeps the last twenty replaced secrets of a credential.
create or replace function credentials_retired_secret() returns trigger language plpgsql as $$
  begin
    delete from retired_secrets where secret_hash = old.secret_hash;
    insert into retired_secrets (secret_hash, account_id, kind, credential_id)
      values (old.secret_hash, old.account_id, old.kind, old.id);
    delete from retired_secrets where number in (
      select number from retired_secrets
      where account_id = old.account_id and kind = old.kind and credential_id = old.id
      order by number desc offset 20
    ) and account_id = old.account_id and kind = old.kind and credential_id = old.id;
    return null;
  end
$$;

create or replace function shared_serving_changed() returns trigger language plpgsql as $$
  begin
    update directory_version set version = version + 1;
    insert into serving_changes (owner, version)
      select found.owner, directory_version.version from directory_version, (select '') as found (owner)
      on conflict (owner) do update set version = excluded.version;
    return null;
  end
$$;

create or replace function channels_inserted() returns trigger language plpgsql as $$
  begin
    update directory_version set version = version + 1;
    insert into serving_changes (owner, version)
      select found.owner, directory_version.version
      from directory_version, (select distinct coalesce(owner, '') from after_rows) as found (owner)
      on conflict (owner) do update set version = excluded.version;
    return null;
  end
$$;

create or replace function channels_updated() returns trigger language plpgsql as $$
  begin
    update directory_version set version = version + 1;
    insert into serving_changes (owner, version)
      select found.owner, directory_version.version
      from directory_version, (
        select distinct coalesce(owner, '') from before_rows
        union select distinct coalesce(owner, '') from after_rows
      ) as found (owner)
      on conflict (owner) do update set version = excluded.version;
    return null;
  end
$$;

create or replace function channels_deleted() returns trigger language plpgsql as $$
  begin
    update directory_version set version = version + 1;
    insert into serving_changes (owner, version)
      select found.owner, directory_version.version
      from directory_version, (select distinct coalesce(owner, '') from before_rows) as found (owner)
      on conflict (owner) do update set version = excluded.version;
    return null;
  end
$$;

create or replace function channels_emptied() returns trigger language plpgsql as $$
  begin
    update directory_version set version = version + 1;
    insert into serving_changes (owner, version)
      select found.owner, directory_version.version
      from directory_version, (select '' union select id from accounts) as found (owner)
      on conflict (owner) do update set version = excluded.version;
    return null;
  end
$$;

-- The notification is sent at commit.
create or replace function directory_version_notify() returns trigger language plpgsql as $$
  begin
    perform pg_notify('switchyard_directory', '');
    return null;
  end
$$;
