import { script } from './scripts.ts';

/*
 * One part of the cache, in keys of one hash slot. Fields are the keys of entries; a tag is a digest of an account or a partition.
 *
 * - `heads`, `bodies`: hashes of the serialised entries.
 * - `facts`: a hash of the data needed to remove an entry: account tag, partition tag, stored at, bytes, id.
 * - `ids`: a hash of the fields by id.
 * - `used`, `expires`: sorted sets of the fields by time (milliseconds).
 * - `stored`: a sorted set of id and field by the time of storing, so that ids break ties within a millisecond.
 * - `accounts`: tag, time of last use and field, all with the same score, so that in lexical order an account's entries are adjacent, the
 *   least recently used first. `questions`: the same with partition tag and time of storing.
 * - `sizes`: a hash of the bytes per account by tag, the total by the empty string, and the number of entries by `#`.
 * - `blocks`, `invalidated`: sorted sets of fields and ids by the time until which the field is blocked.
 * - `served`: a sorted set of id and account by time.
 * - `sequence`: counts the part's messages, so that a gateway detects a missing one.
 *
 * Times are those of the calling gateway, like the times in the entries.
 */

export const CACHE_KEYS = [
  ...['heads', 'bodies', 'facts', 'ids', 'used', 'expires', 'stored', 'accounts', 'sizes'],
  ...['questions', 'blocks', 'invalidated', 'served', 'sequence'],
] as const;

/** An entry's memory in Redis besides head and body, measured with one account per entry. A question takes 100 bytes more. */
export const CACHED_ENTRY_BYTES = 1_400;
export const TAG_CHARACTERS = 16;
/** Stands for a missing partition tag. */
export const NO_TAG = '-'.repeat(TAG_CHARACTERS);
const TIME_DIGITS = 15;
const BYTES_DIGITS = 10;
/** Limits per script, so that other commands do not wait long behind it. */
const MOST_DROPPED = 1_000;
const MOST_BLOCKS = 20_000;
const MOST_SERVED = 20_000;

/** ARGV of all scripts: the message channel; the calling gateway; the time. */
const COMMON = `
local heads, bodies, facts, ids, used, expires, stored, accounts, sizes, questions, blocks, invalidated, served, sequence =
  unpack(KEYS)
local channel, node, now = ARGV[1], ARGV[2], tonumber(ARGV[3])

local function text(number)
  return string.format('%.0f', number)
end

local function padded(number)
  return string.format('%0${TIME_DIGITS}.0f', number)
end

-- A server without free memory refuses what may need some (INCR, HINCRBY, ZADD): removals and their messages go on without.
-- A message: kind, gateway, number in the sequence of the part, and more, in lines.
local function tell(kind, ...)
  local number = redis.pcall('INCR', sequence)
  if type(number) == 'table' then number = 0 end
  redis.call('PUBLISH', channel, table.concat({ kind, node, KEYS[1], text(number), ... }, '\\n'))
end

local function tellRemoved(fields)
  if #fields > 0 then tell('removed', unpack(fields)) end
end

local function grow(tag, bytes, count)
  redis.pcall('HINCRBY', sizes, '', bytes)
  redis.pcall('HINCRBY', sizes, '#', count)
  local left = redis.pcall('HINCRBY', sizes, tag, bytes)
  if type(left) == 'number' and left <= 0 then redis.call('HDEL', sizes, tag) end
end

local function size(tag)
  return tonumber(redis.call('HGET', sizes, tag) or 0)
end

local function drop(field)
  local fact = redis.call('HGET', facts, field)
  if not fact then return false end
  local tag, partition = string.sub(fact, 1, 16), string.sub(fact, 17, 32)
  local at, bytes, id = string.sub(fact, 33, 47), tonumber(string.sub(fact, 48, 57)), string.sub(fact, 58)
  local last = redis.call('ZSCORE', used, field)
  if last then redis.call('ZREM', accounts, tag .. padded(tonumber(last)) .. field) end
  redis.call('HDEL', heads, field)
  redis.call('HDEL', bodies, field)
  redis.call('HDEL', facts, field)
  if redis.call('HGET', ids, id) == field then redis.call('HDEL', ids, id) end
  redis.call('ZREM', used, field)
  redis.call('ZREM', expires, field)
  redis.call('ZREM', stored, id .. '\\n' .. field)
  redis.call('ZREM', questions, partition .. at .. field)
  grow(tag, -bytes, -1)
  return true
end

-- A whole part goes by itself when the last of its entries has expired.
local function keep(untilMs)
  local left = math.max(untilMs - now, 3600000)
  for _, key in ipairs(KEYS) do
    if redis.call('PTTL', key) < left then redis.call('PEXPIRE', key, text(left)) end
  end
end
`;

/**
 * Stores entries and evicts others: first expired ones, then the least recently used of an account above its share, then of all.
 * Further ARGV: the total limit in bytes, and that per account; for each entry field, account tag, partition tag, stored at, expires at, id,
 * bytes, head, body.
 * Response: for each entry 1, or 0 if its field is blocked or it is too large.
 */
export const PUT_ENTRIES = script(`${COMMON}
local capacity, share = tonumber(ARGV[4]), tonumber(ARGV[5])
local gone, kept, tags, latest = {}, {}, {}, 0

local function makeRoom(oldest, isFull)
  while #gone < ${MOST_DROPPED} and isFull() do
    local field = oldest()
    if not field then return end
    if drop(field) then gone[#gone + 1] = field else redis.call('ZREM', used, field) end
  end
end

-- A server that is short of memory may have thrown away one of these, and the others mean nothing without it.
local present = redis.call('EXISTS', heads, bodies, facts, ids, used, expires, stored, accounts, sizes)
if present > 0 and present < 9 then
  redis.call('UNLINK', heads, bodies, facts, ids, used, expires, stored, accounts, sizes, questions)
end

for _, field in ipairs(redis.call('ZRANGEBYSCORE', expires, '-inf', text(now), 'LIMIT', 0, ${MOST_DROPPED})) do
  drop(field)
  gone[#gone + 1] = field
end

for index = 6, #ARGV, 9 do
  local field, tag, partition, id, bytes = ARGV[index], ARGV[index + 1], ARGV[index + 2], ARGV[index + 5], tonumber(ARGV[index + 6])
  local at, expiresAt, head = padded(tonumber(ARGV[index + 3])), tonumber(ARGV[index + 4]), ARGV[index + 7]
  local blockedUntil = redis.call('ZSCORE', blocks, field)
  if (blockedUntil and tonumber(blockedUntil) > now) or bytes > share or expiresAt <= now then
    kept[#kept + 1] = 0
  else
    drop(field)
    local other = redis.call('HGET', ids, id)
    if other then drop(other) end
    redis.call('HSET', heads, field, head)
    redis.call('HSET', bodies, field, ARGV[index + 8])
    redis.call('HSET', facts, field, tag .. partition .. at .. string.format('%0${BYTES_DIGITS}.0f', bytes) .. id)
    redis.call('HSET', ids, id, field)
    redis.call('ZADD', used, text(now), field)
    redis.call('ZADD', expires, text(expiresAt), field)
    redis.call('ZADD', stored, ARGV[index + 3], id .. '\\n' .. field)
    redis.call('ZADD', accounts, 0, tag .. padded(now) .. field)
    local isQuestion = partition ~= '${NO_TAG}'
    if isQuestion then redis.call('ZADD', questions, 0, partition .. at .. field) end
    grow(tag, bytes, 1)
    tags[tag] = true
    latest = math.max(latest, expiresAt)
    tell('put', field, id, isQuestion and head or '')
    kept[#kept + 1] = 1
  end
end

for tag in pairs(tags) do
  makeRoom(function()
    local first = redis.call('ZRANGEBYLEX', accounts, '[' .. tag, '(' .. tag .. '~', 'LIMIT', 0, 1)[1]
    return first and string.sub(first, ${TAG_CHARACTERS + TIME_DIGITS + 1})
  end, function() return size(tag) > share end)
end
makeRoom(function()
  return redis.call('ZRANGE', used, 0, 0)[1]
end, function() return size('') > capacity end)

tellRemoved(gone)
keep(latest)
return kept
`);

/**
 * Reads entries in order up to a number of bytes.
 * Further ARGV: the bytes; the fields.
 * Response: for each field head and body, nothing if there is none, or 0 if the bytes are used up.
 */
export const FIND_ENTRIES = script(`${COMMON}
local room = tonumber(ARGV[4])
local found = {}
for index = 5, #ARGV do
  local field = ARGV[index]
  local expiresAt = redis.call('ZSCORE', expires, field)
  local head, body = false, false
  if expiresAt and tonumber(expiresAt) > now then
    room = room - redis.call('HSTRLEN', heads, field) - redis.call('HSTRLEN', bodies, field)
    if room < 0 and index > 5 then head, body = 0, 0
    else head, body = redis.call('HGET', heads, field), redis.call('HGET', bodies, field) end
  end
  found[#found + 1] = head
  found[#found + 1] = body
end
return found
`);

/**
 * Further ARGV: the id.
 * Response: its field or nothing, and the time until which it is invalidated or nothing.
 */
export const FIND_ID = script(`${COMMON}
return { redis.call('HGET', ids, ARGV[4]), redis.call('ZSCORE', invalidated, ARGV[4]) }
`);

/**
 * Further ARGV: field, id, and the time until which the field is blocked.
 * Response: the number of entries removed.
 */
export const INVALIDATE_ENTRY = script(`${COMMON}
local field, id, untilMs = ARGV[4], ARGV[5], tonumber(ARGV[6])
local before = tonumber(redis.call('ZSCORE', blocks, field) or 0)
untilMs = math.max(untilMs, before)
for _, names in ipairs({ { blocks, field }, { invalidated, id } }) do
  redis.call('ZREMRANGEBYSCORE', names[1], '-inf', text(now))
  redis.pcall('ZADD', names[1], text(untilMs), names[2])
  redis.call('ZREMRANGEBYRANK', names[1], 0, -${MOST_BLOCKS + 1})
end
local dropped = drop(field)
tell('invalidated', field, id, text(untilMs))
keep(math.min(untilMs, now + 31536000000))
return dropped and 1 or 0
`);

/**
 * Removes all entries, or a batch of an account's.
 * Further ARGV: the account's tag or the empty string; 1 if other gateways must be notified.
 * Response: the number removed, and 1 if there may be more.
 */
export const CLEAR_ENTRIES = script(`${COMMON}
local tag = ARGV[4]
local count, more = 0, 0
if tag == '' then
  count = size('#')
  redis.call('UNLINK', heads, bodies, facts, ids, used, expires, stored, accounts, sizes, questions)
else
  local found = redis.call('ZRANGEBYLEX', accounts, '[' .. tag, '(' .. tag .. '~', 'LIMIT', 0, ${MOST_DROPPED})
  for _, member in ipairs(found) do
    if drop(string.sub(member, ${TAG_CHARACTERS + TIME_DIGITS + 1})) then count = count + 1
    else redis.call('ZREM', accounts, member) end
  end
  if #found == ${MOST_DROPPED} then more = 1 end
end
if ARGV[5] == '1' then tell('cleared', tag) end
return { count, more }
`);

/**
 * Reads the newest questions of a partition.
 * Further ARGV: its tag; the count; the bytes.
 * Response: fields and heads in turn.
 */
export const FIND_QUESTIONS = script(`${COMMON}
local tag, room = ARGV[4], tonumber(ARGV[6])
local found = {}
local members = redis.call('ZREVRANGEBYLEX', questions, '(' .. tag .. '~', '[' .. tag, 'LIMIT', 0, ARGV[5])
for _, member in ipairs(members) do
  local field = string.sub(member, ${TAG_CHARACTERS + TIME_DIGITS + 1})
  local head = redis.call('HGET', heads, field)
  if head then
    room = room - #head
    if room < 0 then break end
    found[#found + 1] = field
    found[#found + 1] = head
  end
end
return found
`);

/**
 * Reads a page of a listing.
 * Further ARGV: the count; stored at and id of the previous page's last entry, or empty strings; the account's tag or the empty string.
 * Response: fields and heads in turn; then stored at and id of the last scanned entry, or nothing at the end of the part.
 */
export const LIST_ENTRIES = script(`${COMMON}
local limit, at, last, tag = tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7]
local from = at == '' and '+inf' or at
local found, looked, lookedAt, lookedId = {}, 0, false, false
while #found < limit * 2 do
  if looked >= 2000 then return { found, lookedAt, lookedId } end
  local members = redis.call('ZREVRANGEBYSCORE', stored, from, '-inf', 'WITHSCORES', 'LIMIT', looked, 200)
  if #members == 0 then return { found, false, false } end
  for index = 1, #members, 2 do
    looked = looked + 1
    local line = string.find(members[index], '\\n', 1, true)
    local id, field = string.sub(members[index], 1, line - 1), string.sub(members[index], line + 1)
    local isNext = at == '' or tonumber(members[index + 1]) < tonumber(at) or id < last
    if isNext and #found < limit * 2 then
      lookedAt, lookedId = members[index + 1], id
      local fact = redis.call('HGET', facts, field)
      if fact and (tag == '' or string.sub(fact, 1, 16) == tag) then
        found[#found + 1] = field
        found[#found + 1] = redis.call('HGET', heads, field)
      end
    end
  end
end
return { found, false, false }
`);

/**
 * Records uses and servings.
 * Further ARGV: the number of uses; for each of them field and time; then id and account as one string each.
 * Response: 1.
 */
export const NOTE_USES = script(`${COMMON}
local count = tonumber(ARGV[4])
for index = 5, 4 + count * 2, 2 do
  local field, at = ARGV[index], tonumber(ARGV[index + 1])
  local last = redis.call('ZSCORE', used, field)
  if last and at > tonumber(last) then
    local tag = string.sub(redis.call('HGET', facts, field), 1, 16)
    redis.call('ZREM', accounts, tag .. padded(tonumber(last)) .. field)
    redis.call('ZADD', accounts, 0, tag .. padded(at) .. field)
    redis.call('ZADD', used, text(at), field)
  end
end
for index = 5 + count * 2, #ARGV do
  redis.call('ZADD', served, text(now), ARGV[index])
end
redis.call('ZREMRANGEBYRANK', served, 0, -${MOST_SERVED + 1})
keep(now)
return 1
`);

/**
 * Further ARGV: id and account.
 * Response: the time of the last serving, or nothing.
 */
export const WAS_SERVED = script(`${COMMON}
return redis.call('ZSCORE', served, ARGV[4])
`);

/** Drops a batch of expired entries. Response: entries, bytes, and the number of the last message. */
export const SWEEP_ENTRIES = script(`${COMMON}
local gone = redis.call('ZRANGEBYSCORE', expires, '-inf', text(now), 'LIMIT', 0, 500)
for _, field in ipairs(gone) do drop(field) end
tellRemoved(gone)
return { size('#'), size(''), tonumber(redis.call('GET', sequence) or 0) }
`);

/**
 * Drops entries that cannot be decoded.
 * Further ARGV: the fields.
 */
export const DROP_ENTRIES = script(`${COMMON}
local gone = {}
for index = 4, #ARGV do
  if drop(ARGV[index]) then gone[#gone + 1] = ARGV[index] end
end
tellRemoved(gone)
return #gone
`);
