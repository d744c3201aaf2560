import { createHash } from 'node:crypto';

/** A script of the server's: it runs as one step, so what it answers holds for all gateways. */
export interface Script {
  readonly lua: string;
  /** How the server knows it after its first run. */
  readonly sha1: string;
}

export function script(lua: string): Script {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

/**
 * Takes, asks or adds, over all windows of a quota and its places. The time is the server's own, so the gateways' clocks do not
 * matter.
 *
 * A window is a list of texts `time total`: when something came, in microseconds, and the sum of all amounts up to and with it.
 * The first one has already left the window and stays as what the others' totals are counted from. So the sum of the window is
 * the last total less the first, and however many entries there are, only the ends are looked at. Numbers are written by
 * `%.0f`, since Lua's own way of writing keeps 14 digits and a time has 16.
 *
 * KEYS: one for each window, then that of the places if there are any.
 * ARGV: `take`, `ask` or `add`; the number of windows; for each of them its limit, length, amount and slot length (microseconds);
 * for places their limit, the name of the new one, and how long it is held (milliseconds).
 * Answer: whether it is admitted; whether a place is free; for each window whether it admits, what remains, and the microseconds
 * until it is empty and until it admits.
 */
export const ADMIT = script(`
local mode, windowCount = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function text(number)
  return string.format('%.0f', number)
end

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
  local first = 3 + (index - 1) * 4
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

local places = KEYS[windowCount + 1]
local placeArgument = 3 + windowCount * 4
if places then
  redis.call('ZREMRANGEBYSCORE', places, '-inf', text(now / 1000))
  if redis.call('ZCARD', places) >= tonumber(ARGV[placeArgument]) then
    admitted, free = 0, 0
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

/** Holds places longer. KEYS: that of the places. ARGV: for how long, in milliseconds; the names of the places. */
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
