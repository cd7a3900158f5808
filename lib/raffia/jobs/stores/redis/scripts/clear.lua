-- Removes jobs, the last ones first: jobs that they unblock come in at the front.
-- ARGV: a key with jobs, maximum.
-- Returns the number of jobs removed.
-- Parts: ends
local key, most = ARGV[1], tonumber(ARGV[2])
local kind = redis.call('TYPE', key).ok
local found = {}
if kind == 'zset' then
  found = redis.call('ZRANGE', key, 0, most - 1, 'REV')
  if #found > 0 then redis.call('ZREM', key, unpack(found)) end
elseif kind == 'list' then
  found = redis.call('LPOP', key, most) or {}
end

local ours, blocked = string.find(key, '^raffia:queue:'), string.match(key, '^raffia:blocked:(.*)$')
if blocked and redis.call('EXISTS', key) == 0 then
  redis.call('SREM', RAFFIA .. 'blocked', blocked)
end
for _, member in ipairs(found) do
  local payload = ours and payload_of(member)
    or blocked and string.match(member, '^%S+ (.*)$') or member
  local own, item = extras(payload)
  if key ~= 'dead' then settle(own, item, true) end
  release_limit(own, '')
end
save_workflows()
local queue = string.match(key, '^queue:(.*)$') or string.match(key, '^raffia:queue:(.*)$')
if queue and redis.call('EXISTS', 'queue:' .. queue, RAFFIA .. 'queue:' .. queue) == 0 then
  redis.call('SREM', 'queues', queue)
end
return #found
