-- Moves up to ARGV[2] jobs to the list of the import, and gives them the id ARGV[1]. Answers the
-- id and the jobs, each as "KIND\nNAME\nBYTES". A batch that is there already comes again.
local prefix, id, room = KEYS[1], ARGV[1], tonumber(ARGV[2])
local list, mark = prefix .. 'raffia:import', prefix .. 'raffia:import:batch'

local function move(kind, name, key)
  local jobs = redis.call('LRANGE', key, 0, room - 1)
  for _, job in ipairs(jobs) do
    redis.call('RPUSH', list, kind .. '\n' .. name .. '\n' .. job)
    if kind == 'at' then redis.call('SREM', prefix .. 'timestamps:' .. job, 'delayed:' .. name) end
  end
  redis.call('LTRIM', key, #jobs, -1)
  room = room - #jobs
end

if redis.call('EXISTS', list) == 0 then
  local queues = redis.call('SMEMBERS', prefix .. 'queues')
  table.sort(queues)
  for _, name in ipairs(queues) do
    if room > 0 then move('queue', name, prefix .. 'queue:' .. name) end
  end
  while room > 0 do
    local due = redis.call('ZRANGE', prefix .. 'delayed_queue_schedule', 0, 0)[1]
    if not due then break end
    move('at', due, prefix .. 'delayed:' .. due)
    if redis.call('EXISTS', prefix .. 'delayed:' .. due) == 0 then
      redis.call('ZREM', prefix .. 'delayed_queue_schedule', due)
    end
  end
  local failed = redis.call('SMEMBERS', prefix .. 'failed_queues')
  table.insert(failed, 'failed')
  for _, name in ipairs(failed) do
    if room > 0 then move('failed', name, prefix .. name) end
  end
  if redis.call('EXISTS', list) == 0 then return {} end
  redis.call('SET', mark, id)
end

local jobs = redis.call('LRANGE', list, 0, -1)
table.insert(jobs, 1, redis.call('GET', mark))
return jobs
