-- Ends the pause of a tenant, and moves jobs that it has blocked to their queue.
-- ARGV: queue, key, maximum.
-- Returns the number of jobs moved.
local queue, most = ARGV[1], tonumber(ARGV[3])
local name = queue .. ' ' .. ARGV[2]
redis.call('SREM', RAFFIA .. 'paused', name)
local list = RAFFIA .. 'blocked:tenant:' .. name
local entries = redis.call('LPOP', list, most) or {}
for _, entry in ipairs(entries) do
  local payload = string.match(entry, '^%S+ (.*)$')
  local own, item = extras(payload)
  note_unique(own, item and item.jid, 'queue', payload)
  enqueue(queue, payload, own, false)
end
if redis.call('LLEN', list) == 0 then redis.call('SREM', RAFFIA .. 'blocked', 'tenant:' .. name) end
return #entries
