-- Takes ends of nodes back, as Store::Workflow::Restart does.
local function workflow_restart(ended, waits_for)
  local RETRIED = {running = true, done = true, failed = true, cancelled = true}

  local function open_again(t, node, state)
    if ended(node) then t.record.pending = t.record.pending + 1 end
    if node.state == 'dead' then t.record.dead = t.record.dead - 1 end
    node.state, node.ended, node.error = state, nil, nil
    t:change(node)
  end

  -- The state of a dependant that counts again, nil when it does not.
  local function state_after(dependant, node)
    if waits_for(dependant, node) then return dependant.state end
    if dependant.state == 'skipped' then return 'waiting' end
    local again = dependant.state == 'dead' and node.parent == dependant.name
    return again and 'active' or nil
  end

  -- A dead node goes on. Those that were skipped because of it wait again.
  local function reopen(t, dead)
    open_again(t, dead, 'active')
    local open = {dead}
    while #open > 0 do
      local node = table.remove(open)
      for _, name in ipairs(t:dependants(node)) do
        local dependant = t:node(name)
        local state = state_after(dependant, node)
        if state then
          if ended(dependant) then
            open_again(t, dependant, state)
            open[#open + 1] = dependant
          end
          dependant.missing, dependant.bad = dependant.missing + 1, dependant.bad - 1
          t:change(dependant)
        end
      end
    end
  end

  local function complaint(t, name)
    local node, state = t:node(name), t.record.state
    if not node then return 'it has no step ' .. name end
    if not RETRIED[state] then return 'it is ' .. state .. ': start another one' end
    if not node.parent and node.kind ~= 'undo' then return nil end
    return name .. ' is no step of its own: requeue its job, or retry from ' ..
      (node.parent or node.undoes)
  end

  -- A step and all that depend on it: a list, and a table by name.
  local function closure(t, name)
    local nodes, found, i = {t:node(name)}, {[name] = true}, 1
    while nodes[i] do
      for _, other in ipairs(t:dependants(nodes[i])) do
        if not found[other] then nodes[#nodes + 1] = t:node(other) end
        found[other] = true
      end
      i = i + 1
    end
    return nodes, found
  end

  local function clear(t, node)
    if node.kind == 'each' then
      local names = t:children(node.name)
      for _, value in pairs(t:values('_nodes', names)) do
        if string.find(value, '^dead ') then t.record.dead = t.record.dead - 1 end
      end
      t:forget(names)
      node.size = nil
    end
    open_again(t, node, 'waiting')
    redis.call('HDEL', t:key('_results'), node.name)
    node.jid = nil
  end

  local function count(t, node, again)
    node.missing, node.bad = 0, 0
    for _, name in ipairs(t:plan(node.name).after) do
      local before = t:node(name)
      if again[name] or not ended(before) then node.missing = node.missing + 1 end
      if ended(before) and before.state ~= 'done' then node.bad = node.bad + 1 end
    end
  end

  -- Returns the nodes to start, or nil and why there are none.
  local function reset(t, name)
    local why = complaint(t, name)
    if why then return nil, why end
    local nodes, found = closure(t, name)
    for _, node in ipairs(nodes) do
      if node.state == 'active' then
        return nil, 'its step ' .. node.name .. ' runs: cancel it, or wait for it'
      end
    end
    local ready = {}
    for _, node in ipairs(nodes) do clear(t, node) end
    for _, node in ipairs(nodes) do
      count(t, node, found)
      if node.missing == 0 then ready[#ready + 1] = node end
    end
    return ready
  end

  return {reopen = reopen, reset = reset}
end
