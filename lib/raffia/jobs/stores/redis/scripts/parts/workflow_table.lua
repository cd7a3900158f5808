-- A workflow that a script changes. Its keys:
--
-- * raffia:workflow:ID: its state, and counts
-- * raffia:workflow_plans:ID: steps as they were given, see Redis::WorkflowPlan
-- * raffia:workflow_nodes:ID: `STATE JSON` of steps, elements and undos
-- * raffia:workflow_results:ID: JSON of nodes that are done
-- * raffia:workflow_items:ID: elements whose job has an undo
local function workflow_key(kind, id) return RAFFIA .. 'workflow' .. kind .. ':' .. id end

-- Calls a command on a hash with many fields.
local function in_slices(command, place, fields)
  local SLICE = 1000
  for i = 1, #fields, SLICE do
    redis.call(command, place, unpack(fields, i, math.min(i + SLICE - 1, #fields)))
  end
end

local function workflow_table()
  local SLICE = 1000
  local KEPT = {'kind', 'jid', 'error', 'ended', 'parent', 'position', 'size', 'undoes', 'flow',
    'next'}

  local function decode(name, text)
    local state, json = string.match(text, '^(%a+) (.*)$')
    local node = cjson.decode(json)
    node.name, node.state = name, state
    node.missing, node.bad = node.missing or 0, node.bad or 0
    return node
  end

  local function encode(node)
    local kept = {}
    for _, name in ipairs(KEPT) do kept[name] = node[name] end
    if node.missing ~= 0 then kept.missing = node.missing end
    if node.bad ~= 0 then kept.bad = node.bad end
    return node.state .. ' ' .. cjson.encode(kept)
  end

  local Table = {}
  Table.__index = Table

  function Table:key(kind) return workflow_key(kind, self.id) end

  function Table:node(name)
    if self.nodes[name] == nil then
      local text = redis.call('HGET', self:key('_nodes'), name)
      self.nodes[name] = text and decode(name, text)
    end
    return self.nodes[name]
  end

  function Table:add(node)
    self.nodes[node.name], self.changed[node.name] = node, node
  end

  function Table:change(node) self.changed[node.name] = node end

  -- Elements and undos have the plan of their step.
  function Table:plan(name)
    if self.plans[name] == nil then
      local text = redis.call('HGET', self:key('_plans'), name)
      self.plans[name] = text and cjson.decode(text)
    end
    return self.plans[name]
  end

  function Table:steps()
    local found = {}
    for _, name in ipairs(redis.call('HKEYS', self:key('_plans'))) do
      found[#found + 1] = self:node(name)
    end
    table.sort(found, function(one, other) return one.position < other.position end)
    return found
  end

  function Table:children(name)
    local names = {}
    for i = 1, self:node(name).size or 0 do names[i] = name .. '[' .. (i - 1) .. ']' end
    return names
  end

  -- Names of nodes that wait for this one.
  function Table:dependants(node)
    if node.parent then return {node.parent} end
    if node.kind == 'undo' then return {node.next} end
    return self:plan(node.name).next
  end

  -- Values of a hash by the names of nodes, nil for those without.
  function Table:values(kind, names)
    local found = {}
    for i = 1, #names, SLICE do
      local some = redis.call('HMGET', self:key(kind),
        unpack(names, i, math.min(i + SLICE - 1, #names)))
      for index, value in ipairs(some) do found[i + index - 1] = value or nil end
    end
    return found
  end

  function Table:set_all(kind, fields) in_slices('HSET', self:key(kind), fields) end

  function Table:forget(names)
    for _, kind in ipairs({'_nodes', '_results', '_items'}) do
      in_slices('HDEL', self:key(kind), names)
    end
  end

  -- A new id of a job.
  function Table:jid()
    self.record.jids = self.record.jids + 1
    return string.sub(redis.sha1hex(self.record.seed .. ' ' .. self.record.jids), 1, 24)
  end

  -- The present time in a payload.
  function Table:time()
    if self.record.version == '7' then return string.format('%.6f', now()) end
    return string.format('%.0f', math.floor(now() * 1000))
  end

  function Table:save_nodes()
    local fields = {}
    for name, node in pairs(self.changed) do
      fields[#fields + 1] = name
      fields[#fields + 1] = encode(node)
    end
    self:set_all('_nodes', fields)
    self.changed = {}
  end

  function Table.new(id, record)
    return setmetatable({id = id, record = record, nodes = {}, plans = {}, changed = {},
      jobs = {}, ready = {}}, Table)
  end

  return Table
end
