-- Starts nodes whose predecessors have ended, as Store::Workflow::Start does. A template is the
-- payload of a job with marks, which JSON does not have:
--
-- * \1DEPTH NAME\2: the result of a step, and how many values are around it
-- * \3: the job's id; \4: the present time; \5: the time of its expiry; \6: an element
-- * \7: the node's name; \8: the id of the job that is undone
local function workflow_start(text)
  local ELEMENTS = 100000
  local LIMIT = 16 * 1024 * 1024
  local AROUND_ELEMENT = 2

  local function result(t, name)
    local node = t:node(name)
    if not node then return 'null' end
    if node.kind ~= 'each' then return redis.call('HGET', t:key('_results'), name) or 'null' end
    local names = t:children(name)
    local values = t:values('_results', names)
    for i = 1, #names do values[i] = values[i] or 'null' end
    return '[' .. table.concat(values, ',') .. ']', values
  end

  local function too_deep(plan)
    return 'the arguments of ' .. plan.class .. ' are nested too deep for JSON: keep the data ' ..
      'elsewhere, and hand the job its id'
  end

  -- The template with times. Results come last: they may be long.
  local function timed(t, plan, job)
    local time = t:time()
    local filled = string.gsub(job.template, '\4', function() return time end)
    if not plan.expires_in then return filled end
    local expires_at = string.format('%.6f', now() + plan.expires_in)
    return (string.gsub(filled, '\5', function() return expires_at end))
  end

  -- Returns the text with results, or nil and a reason if that is impossible.
  local function with_results(t, plan, template)
    local problem
    local filled = string.gsub(template, '\1(%d+) ([^\2]*)\2', function(around, name)
      local value = result(t, name)
      if not text.fits(value, tonumber(around)) then problem = too_deep(plan) end
      return value
    end)
    if problem then return nil, problem end
    return filled
  end

  local function too_large(plan, jid, payload)
    if #payload <= LIMIT then return nil end
    return 'job ' .. jid .. ' (' .. plan.class .. ') has ' .. #payload .. ' bytes, the limit is ' ..
      LIMIT .. ': keep the data elsewhere, and hand the job its id'
  end

  local function draft(node, jid, job, payload)
    return {node = node, jid = jid, queue = job.queue, payload = payload, plain = job.plain}
  end

  -- Starts a job, of a step or of the undo of one. Returns a reason if that is impossible.
  local function start_job(t, node)
    local step = node.undoes and t:node(node.undoes) or node
    local plan = t:plan(step.parent or step.name)
    local job = node.undoes and plan.undo or plan.job
    local jid = t:jid()
    local template = string.gsub(timed(t, plan, job), '[\3\6\7\8]', {
      ['\3'] = jid, ['\7'] = cjson.encode(node.name), ['\8'] = step.jid,
      ['\6'] = step.parent and redis.call('HGET', t:key('_items'), step.name)
    })
    local payload, problem = with_results(t, plan, template)
    problem = problem or too_large(plan, jid, payload)
    if problem then return problem end
    node.jid, node.state = jid, 'active'
    t.jobs[#t.jobs + 1] = draft(node.name, jid, job, payload)
  end

  local function list_of(t, plan)
    local json, values = result(t, plan.from)
    local list = values or text.elements(json)
    if not list then
      return nil, 'the result of ' .. plan.from .. ' is no list but ' .. text.class_of(json) ..
        ': return_value of its job must be an Array'
    end
    if #list <= ELEMENTS then return list end
    return nil, 'the result of ' .. plan.from .. ' has ' .. #list .. ' elements, at most ' ..
      ELEMENTS .. ' are allowed: hand over slices of it'
  end

  -- Returns texts and marks of the jobs of an `each`, and the marks by their places; or nil and a
  -- reason if that is impossible.
  local function pieces(t, plan)
    local found, places = {}, {}
    local template = timed(t, plan, plan.job)
    for before, mark in string.gmatch(template, '([^\3\6\7]*)([\3\6\7]?)') do
      local filled, problem = with_results(t, plan, before)
      if problem then return nil, problem end
      found[#found + 1] = filled
      if mark ~= '' then
        found[#found + 1] = mark
        places[#found] = mark
      end
    end
    return found, places
  end

  -- Starts a job for each element. They are written in the step that ends the list's source, so
  -- none can end before.
  local function fan_out(t, node)
    local plan = t:plan(node.name)
    local list, problem = list_of(t, plan)
    if problem then return problem end
    local parts, places = pieces(t, plan)
    if not parts then return places end
    local head = string.sub(cjson.encode(node.name), 1, -2)
    local nodes, items, jobs = {}, {}, {}
    for i, value in ipairs(list) do
      local jid, place = t:jid(), '[' .. (i - 1) .. ']'
      for index, mark in pairs(places) do
        parts[index] = mark == '\3' and jid or mark == '\6' and value or head .. place .. '"'
      end
      local payload = table.concat(parts)
      problem = not text.fits(value, AROUND_ELEMENT) and too_deep(plan)
        or too_large(plan, jid, payload)
      if problem then return problem end
      jobs[i] = draft(node.name .. place, jid, plan.job, payload)
      nodes[2 * i - 1] = node.name .. place
      nodes[2 * i] = 'active {"kind":"job","jid":"' .. jid .. '","parent":' .. head ..
        '","position":' .. (i - 1) .. '}'
      items[2 * i - 1], items[2 * i] = nodes[2 * i - 1], value
    end
    t:set_all('_nodes', nodes)
    if plan.undo then t:set_all('_items', items) end
    for _, job in ipairs(jobs) do t.jobs[#t.jobs + 1] = job end
    node.state, node.missing, node.bad, node.size = 'active', #list, 0, #list
    t.record.pending = t.record.pending + #list
  end

  -- Returns a reason if that is impossible.
  local function start(t, node)
    local problem
    if node.kind == 'each' then problem = fan_out(t, node) else problem = start_job(t, node) end
    t:change(node)
    return problem
  end

  return {start = start, result = result}
end
