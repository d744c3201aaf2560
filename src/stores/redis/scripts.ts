import { createHash } from 'node:crypto';

/** A Lua script. It runs atomically, so its result holds for all gateways. */
export interface Script {
  readonly lua: string;
  /** Identifies the script on the server after its first run. */
  readonly sha1: string;
}

export function script(lua: string): Script {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

/**
 * Takes, queries or adds amounts in all windows of a quota and its slots. Uses the server's time, so that the gateways' clocks do not
 * matter.
 *
 * A window is a list of strings `time total`: the time of an amount in microseconds, and the running total up to and including it. The
 * first entry has already left the window and is the base of the others' totals, so the window's sum is the last total minus the first, and
 * only the ends are read however many entries there are. Numbers are formatted with `%.0f`, since Lua's default keeps 14 digits and a time
 * has 16.
 *
 * Next to each window and the slots, a hash records whose admissions are included: by gateway, the generation that it has reported and when
 * it last asked (seconds). If a gateway has admissions and the hash lacks its generation, Redis has lost its data or was unavailable:
 * nothing is counted, and the gateway first reports its admissions (`SEED`).
 *
 * KEYS: one per window, that of the slots if there are any, then those of the hashes in the same order.
 * ARGV: `take`, `ask` or `add`; the number of windows; the gateway; its generation; for each hash a digit, 1 if the gateway has unexpired
 * admissions there; for each window its limit, length, amount and slot length (microseconds); for concurrency slots their limit, the name
 * of the new one, and how long it is held (milliseconds).
 * Response: whether it is admitted; whether a concurrency slot is free; for each window whether it admits, what remains, and the
 * microseconds until it is empty and until it admits. Or `unseeded` and, for each hash, its generation of this gateway, empty for none.
 */
export const ADMIT = script(`
local mode, windowCount = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function text(number)
  return string.format('%.0f', number)
end

local keyCount = #KEYS / 2
local gateway, generation, owns = ARGV[3], ARGV[4], ARGV[5]
local known, told, isUnseeded = {}, {}, false
for index = 1, keyCount do
  known[index] = redis.call('HGET', KEYS[keyCount + index], gateway)
  told[index] = known[index] and string.match(known[index], '^%d+') or ''
  if told[index] ~= generation and string.sub(owns, index, index) == '1' then isUnseeded = true end
end
if isUnseeded then return { 'unseeded', unpack(told) } end

local function parsed(entry)
  if not entry then return nil end
  local space = string.find(entry, ' ', 1, true)
  return tonumber(string.sub(entry, 1, space - 1)), tonumber(string.sub(entry, space + 1))
end

local function entryAt(key, index)
  return parsed(redis.call('LINDEX', key, index))
end

local function write(window)
  redis.call('PEXPIRE', window.key, math.ceil((window.at - now + window.length) / 1000) + 1)
end

local function opened(index)
  local window = { key = KEYS[index], at = now, base = 0, total = 0, exists = false }
  local first = 6 + (index - 1) * 4
  window.limit, window.length = tonumber(ARGV[first]), tonumber(ARGV[first + 1])
  window.amount, window.slot = tonumber(ARGV[first + 2]), tonumber(ARGV[first + 3])
  window.need = math.max(1, window.amount)
  local last, total = entryAt(window.key, -1)
  if not last then return window end
  window.exists = true
  local _, base = entryAt(window.key, 0)
  if last > now + 1000000 then
    -- The server's clock was set back. When things came can not be known any more, so all count as if they came now.
    redis.call('DEL', window.key)
    redis.call('RPUSH', window.key, '0 0', text(now) .. ' ' .. text(total - base))
    write(window)
    window.last, window.total = now, total - base
    return window
  end
  window.at = math.max(now, last)
  local oldest = entryAt(window.key, 1)
  while oldest and oldest + window.length <= window.at do
    redis.call('LPOP', window.key)
    oldest = entryAt(window.key, 1)
  end
  _, window.base = entryAt(window.key, 0)
  window.last, window.total = last, total
  return window
end

local function fits(window)
  return window.total - window.base + window.need <= window.limit
end

local function add(window)
  window.total = window.total + window.amount
  local entry = text(window.at) .. ' ' .. text(window.total)
  if not window.exists then
    redis.call('RPUSH', window.key, '0 0', entry)
  elseif math.floor(window.last / window.slot) == math.floor(window.at / window.slot) then
    redis.call('LSET', window.key, -1, entry)
  else
    redis.call('RPUSH', window.key, entry)
  end
  window.last = window.at
  write(window)
end

local function wait(window)
  local enough = window.total + window.need - window.limit
  local index = 1
  while true do
    local entries = redis.call('LRANGE', window.key, index, index + 127)
    if #entries == 0 then return window.length end
    for _, entry in ipairs(entries) do
      local cameAt, total = parsed(entry)
      if total >= enough then return cameAt + window.length - now end
    end
    index = index + 128
  end
end

local windows = {}
local admitted, free = 1, 1
for index = 1, windowCount do
  windows[index] = opened(index)
  if not fits(windows[index]) then admitted = 0 end
end

local places = keyCount > windowCount and KEYS[keyCount] or nil
local placeArgument = 6 + windowCount * 4
if places then
  redis.call('ZREMRANGEBYSCORE', places, '-inf', text(now / 1000))
  if redis.call('ZCARD', places) >= tonumber(ARGV[placeArgument]) then
    admitted, free = 0, 0
  end
end

-- A hash lasts as long as what it tells of.
local current = generation .. ' ' .. time[1]
for index = 1, keyCount do
  if known[index] ~= current then
    local keptMs = places and index == keyCount and tonumber(ARGV[placeArgument + 2])
      or math.ceil(windows[index].length / 1000)
    redis.call('HSET', KEYS[keyCount + index], gateway, current)
    redis.call('PEXPIRE', KEYS[keyCount + index], keptMs + 2000)
  end
end

local answer = { admitted, free }
for _, window in ipairs(windows) do
  local fitted = fits(window)
  if mode == 'add' or (mode == 'take' and admitted == 1 and window.amount > 0) then add(window) end
  local used = window.total - window.base
  answer[#answer + 1] = fitted and 1 or 0
  answer[#answer + 1] = math.max(0, window.limit - used)
  answer[#answer + 1] = used > 0 and window.last + window.length - now or 0
  answer[#answer + 1] = fitted and 0 or wait(window)
end

if places and mode == 'take' and admitted == 1 then
  local heldMs = tonumber(ARGV[placeArgument + 2])
  redis.call('ZADD', places, text(now / 1000 + heldMs), ARGV[placeArgument + 1])
  redis.call('PEXPIRE', places, heldMs)
end
return answer
`);

/**
 * Reports a gateway's admissions that Redis does not know, and the slots held by its requests. Each hash accepts a generation once.
 *
 * KEYS: as in `ADMIT`.
 * ARGV: the number of windows; the gateway; its generation; how long slots are held (milliseconds); for each hash the generation from the
 * response of `ADMIT`; for each window its length (microseconds), the number of its entries, and for each entry its age (microseconds) and
 * amount; the names of the slots.
 * Response: 1 if everything was applied, 0 if a hash has another generation of this gateway by now.
 */
export const SEED = script(`
local windowCount, gateway, generation, heldMs = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
local keyCount = #KEYS / 2
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local isDone = 1

local function isNews(index)
  local expected = ARGV[4 + index]
  if expected == generation then return false end
  local known = redis.call('HGET', KEYS[keyCount + index], gateway)
  if (known and string.match(known, '^%d+') or '') == expected then return true end
  isDone = 0
  return false
end

local function told(index, keptMs)
  local gateways = KEYS[keyCount + index]
  -- Gateways that have not asked for so long have nothing left here.
  local all = redis.call('HGETALL', gateways)
  for field = 1, #all, 2 do
    local asked = tonumber(string.match(all[field + 1], ' (%d+)$') or '0')
    if (time[1] - asked) * 1000 > keptMs + 2000 then redis.call('HDEL', gateways, all[field]) end
  end
  redis.call('HSET', gateways, gateway, generation .. ' ' .. time[1])
  redis.call('PEXPIRE', gateways, keptMs + 2000)
end

local function entriesOf(key, length)
  local entries, before = {}, 0
  for index, entry in ipairs(redis.call('LRANGE', key, 0, -1)) do
    local at, total = string.match(entry, '(%d+) (%d+)')
    at, total = tonumber(at), tonumber(total)
    if index > 1 and at + length > now then entries[#entries + 1] = { at, total - before } end
    before = total
  end
  return entries
end

local function rewrite(key, entries, length)
  table.sort(entries, function(one, other) return one[1] < other[1] end)
  redis.call('DEL', key)
  if #entries == 0 then return end
  local total = 0
  redis.call('RPUSH', key, '0 0')
  for _, entry in ipairs(entries) do
    total = total + entry[2]
    redis.call('RPUSH', key, string.format('%.0f %.0f', entry[1], total))
  end
  redis.call('PEXPIRE', key, math.ceil((entries[#entries][1] - now + length) / 1000) + 1)
end

local argument = 5 + keyCount
for index = 1, windowCount do
  local length, count = tonumber(ARGV[argument]), tonumber(ARGV[argument + 1])
  argument = argument + 2
  if isNews(index) then
    local entries = entriesOf(KEYS[index], length)
    for entry = 0, count - 1 do
      local at, amount = now - tonumber(ARGV[argument + 2 * entry]), tonumber(ARGV[argument + 2 * entry + 1])
      if at + length > now then entries[#entries + 1] = { at, amount } end
    end
    rewrite(KEYS[index], entries, length)
    told(index, math.ceil(length / 1000))
  end
  argument = argument + 2 * count
end

if keyCount > windowCount and isNews(keyCount) then
  local heldUntil = string.format('%.0f', now / 1000 + heldMs)
  for index = argument, #ARGV do redis.call('ZADD', KEYS[keyCount], heldUntil, ARGV[index]) end
  if argument <= #ARGV then redis.call('PEXPIRE', KEYS[keyCount], heldMs) end
  told(keyCount, heldMs)
end
return isDone
`);

/**
 * Announces a gateway.
 *
 * KEYS: that of the gateways.
 * ARGV: how long the announcement is valid (milliseconds); the gateway's name.
 * Response: the number of gateways; whether this one was already known.
 */
export const ANNOUNCE = script(`
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + time[2] / 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', nowMs))
local added = redis.call('ZADD', KEYS[1], string.format('%.0f', nowMs + ARGV[1]), ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return { redis.call('ZCARD', KEYS[1]), 1 - added }
`);

/**
 * Renews slots.
 *
 * KEYS: that of the slots.
 * ARGV: how long they are held (milliseconds); the names of the slots.
 */
export const RENEW = script(`
local time = redis.call('TIME')
local heldMs = tonumber(ARGV[1])
local heldUntil = string.format('%.0f', time[1] * 1000 + time[2] / 1000 + heldMs)
for index = 2, #ARGV do
  redis.call('ZADD', KEYS[1], heldUntil, ARGV[index])
end
redis.call('PEXPIRE', KEYS[1], heldMs)
return 1
`);
