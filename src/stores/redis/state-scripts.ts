import { script } from './scripts.ts';

/*
 * One part of the conversation state, in four keys of one hash slot:
 *
 * - `values`: a hash of the sealed values by field. A field is the account's tag followed by the key's own part.
 * - `order`: a sorted set of the fields by write time (milliseconds).
 * - `accounts`: a sorted set of tag, time and the key's own part, all with the same score, so that in lexical order an account's entries
 *   are adjacent, the oldest first.
 * - `sizes`: a hash of the bytes per account by tag, and the total by the empty string.
 *
 * Times are the server's.
 */

/** An entry's memory in Redis besides its value, measured with one account per entry; 100 bytes less within one account. */
export const ENTRY_BYTES = 512;
/** The length of the prefix of an account's fields. */
export const TAG_CHARACTERS = 16;
/** The length of the digest before the sealed text, by which values are compared. */
export const DIGEST_BYTES = 16;

/**
 * Writes values and evicts others: first expired ones, then the oldest of an account above its share, then the oldest of all.
 *
 * KEYS: values, order, accounts, sizes.
 * ARGV: how long an entry is kept (milliseconds); the total limit in bytes, and that per account; 1 if two different values of one field
 * become an empty one, which stands for both, else 0; then fields and values in turn.
 * Response: the fields that now hold an empty value.
 */
export const KEEP = script(`
local values, order, accounts, sizes = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local kept, capacity, share = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local collides = ARGV[4] == '1'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local mostDropped = 2000
local dropped = 0

local function text(number)
  return string.format('%.0f', number)
end

local function tagOf(field)
  return string.sub(field, 1, ${TAG_CHARACTERS})
end

local function place(field, at)
  return tagOf(field) .. string.format('%015.0f', at) .. string.sub(field, ${TAG_CHARACTERS + 1})
end

local function grow(tag, bytes)
  redis.call('HINCRBY', sizes, '', bytes)
  if redis.call('HINCRBY', sizes, tag, bytes) <= 0 then redis.call('HDEL', sizes, tag) end
end

local function drop(field)
  local at = redis.call('ZSCORE', order, field)
  if not at then return end
  grow(tagOf(field), -(redis.call('HSTRLEN', values, field) + ${ENTRY_BYTES}))
  redis.call('HDEL', values, field)
  redis.call('ZREM', order, field)
  redis.call('ZREM', accounts, place(field, tonumber(at)))
end

local function size(tag)
  return tonumber(redis.call('HGET', sizes, tag) or 0)
end

local function makeRoom(oldest, isFull)
  while dropped < mostDropped and isFull() do
    local field = oldest()
    if not field then return end
    drop(field)
    dropped = dropped + 1
  end
end

-- A server that is short of memory may have thrown away one of the four, and the others mean nothing without it.
local present = redis.call('EXISTS', values, order, accounts, sizes)
if present > 0 and present < 4 then redis.call('UNLINK', values, order, accounts, sizes) end

for _, field in ipairs(redis.call('ZRANGEBYSCORE', order, '-inf', text(now - kept), 'LIMIT', 0, mostDropped)) do
  drop(field)
end

local collided, tags = {}, {}
for index = 5, #ARGV, 2 do
  local field, value = ARGV[index], ARGV[index + 1]
  local before = collides and redis.call('HGET', values, field)
  if before and string.sub(before, 1, ${DIGEST_BYTES}) ~= string.sub(value, 1, ${DIGEST_BYTES}) then
    value = ''
    collided[#collided + 1] = field
  end
  drop(field)
  redis.call('HSET', values, field, value)
  redis.call('ZADD', order, text(now), field)
  redis.call('ZADD', accounts, 0, place(field, now))
  tags[tagOf(field)] = true
  grow(tagOf(field), #value + ${ENTRY_BYTES})
end

for tag in pairs(tags) do
  makeRoom(function()
    local first = redis.call('ZRANGEBYLEX', accounts, '[' .. tag, '(' .. tag .. '~', 'LIMIT', 0, 1)[1]
    return first and tag .. string.sub(first, ${TAG_CHARACTERS + 16})
  end, function() return size(tag) > share end)
end
makeRoom(function()
  return redis.call('ZRANGE', order, 0, 0)[1]
end, function() return size('') > capacity end)

for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, text(kept)) end
return collided
`);

/**
 * Reads values in order up to a number of bytes.
 *
 * KEYS: values, order.
 * ARGV: how long an entry is kept (milliseconds); the bytes; the fields.
 * Response: for each field its value, nothing if there is none, or 0 if the bytes are used up.
 */
export const FIND = script(`
local time = redis.call('TIME')
local since = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[1])
local room = tonumber(ARGV[2])
local found = {}
for index = 3, #ARGV do
  local at = redis.call('ZSCORE', KEYS[2], ARGV[index])
  local value = false
  if at and tonumber(at) > since then
    local size = redis.call('HSTRLEN', KEYS[1], ARGV[index])
    room = room - size
    if room < 0 then value = 0 else value = redis.call('HGET', KEYS[1], ARGV[index]) end
  end
  found[index - 2] = value
end
return found
`);
