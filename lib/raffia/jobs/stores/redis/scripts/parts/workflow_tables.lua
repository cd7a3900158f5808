-- Workflows that a script changes, by id.
local function workflow_tables()
  local NUMBERS = {'pending', 'dead', 'ended', 'jids'}
  local Table = workflow_table()
  local tables, order = {}, {}

  local function read_record(id)
    local fields, record = redis.call('HGETALL', workflow_key('', id)), {}
    if #fields == 0 then return nil end
    for i = 1, #fields, 2 do record[fields[i]] = fields[i + 1] end
    for _, name in ipairs(NUMBERS) do record[name] = tonumber(record[name]) or 0 end
    return record
  end

  local function save_record(record, id)
    local fields = {}
    for name, value in pairs(record) do
      fields[#fields + 1] = name
      fields[#fields + 1] = value
    end
    -- A command that removes comes first: a full Redis finishes the script then.
    redis.call('ZREM', RAFFIA .. 'ended_workflows', id)
    redis.call('HSET', workflow_key('', id), unpack(fields))
    if record.completed_at then
      redis.call('ZADD', RAFFIA .. 'ended_workflows', record.completed_at, id)
    else
      redis.call('HDEL', workflow_key('', id), 'completed_at')
    end
  end

  -- Jobs for Sidekiq's list go there together. Returns those that a unique job keeps out.
  local function add_jobs(jobs)
    local queue, plain, rejected = nil, {}, {}
    local function push()
      if #plain > 0 then in_slices('LPUSH', 'queue:' .. queue, plain) end
      plain = {}
    end
    for _, job in ipairs(jobs) do
      if queue ~= job.queue or not job.plain then push() end
      queue = job.queue
      if job.plain then
        if #plain == 0 then redis.call('SADD', 'queues', queue) end
        plain[#plain + 1] = job.payload
      else
        local draft = draft_of(job.jid, queue, job.payload, '')
        refusal({draft})
        if add({draft})[1] == 0 then rejected[#rejected + 1] = job end
      end
    end
    push()
    return rejected
  end

  local function build(id, record)
    local one = Table.new(id, record)
    tables[id] = one
    order[#order + 1] = one
    return one
  end

  -- Returns nil without such a workflow.
  local function load(id)
    if not tables[id] then
      local record = read_record(id)
      if not record then return nil end
      build(id, record)
    end
    return tables[id]
  end

  local function state_of(id)
    if tables[id] then return tables[id].record.state end
    return redis.call('HGET', workflow_key('', id), 'state')
  end

  -- Writes all of them, and adds their jobs. Calls `reject` for each job that a unique one keeps
  -- out, and writes what that changes.
  local function save(reject)
    while #order > 0 do
      local rejected = {}
      for _, one in ipairs(order) do
        save_record(one.record, one.id)
        one:save_nodes()
      end
      for _, one in ipairs(order) do
        local jobs = one.jobs
        one.jobs = {}
        for _, job in ipairs(add_jobs(jobs)) do rejected[#rejected + 1] = {one, job} end
      end
      if #rejected == 0 then
        tables, order = {}, {}
      else
        for _, row in ipairs(rejected) do reject(row[1], row[2]) end
      end
    end
  end

  local function remove(id)
    for _, kind in ipairs({'', '_plans', '_nodes', '_results', '_items'}) do
      redis.call('UNLINK', workflow_key(kind, id))
    end
    redis.call('ZREM', RAFFIA .. 'ended_workflows', id)
    redis.call('ZREM', RAFFIA .. 'workflows', id)
  end

  return {load = load, build = build, save = save, state_of = state_of, remove = remove}
end
