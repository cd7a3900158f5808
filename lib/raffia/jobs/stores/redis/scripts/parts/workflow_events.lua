-- Changes workflows by events, as Store::Workflow::Transition does.
local function workflow_events()
  local text = workflow_text()
  local tables, start = workflow_tables(), workflow_start(text)
  local undos = workflow_undos()
  local OPEN = {running = true, cancelling = true, undoing = true}
  local self = {tables = tables, start = start}

  local function ended(node) return node.state ~= 'waiting' and node.state ~= 'active' end

  -- Whether a dependant waits for this node: a predecessor or an element.
  local function waits_for(dependant, node)
    return dependant.state == 'waiting' or dependant.kind == 'each' and dependant.state == 'active'
      and node.parent == dependant.name
  end

  local restart = workflow_restart(ended, waits_for)

  local function failure(t, node)
    return t.record.state == 'cancelling' and node.kind ~= 'undo' and 'cancelled' or 'dead'
  end

  local function close(t, node, state)
    local record = t.record
    record.ended, record.pending = record.ended + 1, record.pending - 1
    node.state, node.ended = state, record.ended
    if state == 'dead' then record.dead = record.dead + 1 end
    t:change(node)
  end

  local function conclude_as(t, state)
    t.record.state, t.record.completed_at = state, string.format('%.6f', now())
    t.news = 'ended'
  end

  local function end_node(t, node, state)
    close(t, node, state)
    if node.kind == 'undo' and state == 'dead' then return conclude_as(t, 'stuck') end
    for _, name in ipairs(t:dependants(node)) do
      local dependant = t:node(name)
      if waits_for(dependant, node) then
        dependant.missing = dependant.missing - 1
        if state ~= 'done' then dependant.bad = dependant.bad + 1 end
        t:change(dependant)
        if dependant.missing == 0 then t.ready[#t.ready + 1] = dependant end
      end
    end
  end

  local function runs_after_failure(t, node)
    return node.kind == 'undo' or t:plan(node.name).on_failure == 'run'
  end

  local function advance(t, node)
    if node.state == 'active' then
      return end_node(t, node, node.bad == 0 and 'done' or failure(t, node))
    end
    if t.record.state == 'cancelling' then return end_node(t, node, 'cancelled') end
    if node.bad > 0 and not runs_after_failure(t, node) then return end_node(t, node, 'skipped') end
    node.error = start.start(t, node)
    if node.error then return end_node(t, node, 'dead') end
    if node.kind == 'each' and node.missing == 0 then t.ready[#t.ready + 1] = node end
  end

  local function begin_undo(t, first)
    t.record.state = 'undoing'
    t.ready[#t.ready + 1] = first
  end

  local function conclude(t)
    local record = t.record
    if record.state == 'undoing' then return conclude_as(t, 'undone') end
    local state = record.state == 'cancelling' and 'cancelled'
      or record.dead == 0 and 'done' or 'failed'
    local undo = state ~= 'done' and undos.add(t)
    if undo then begin_undo(t, undo) else conclude_as(t, state) end
  end

  local function proceed(t)
    repeat
      local i = 1
      while t.ready[i] do
        advance(t, t.ready[i])
        i = i + 1
      end
      t.ready = {}
      if t.record.pending == 0 and OPEN[t.record.state] then conclude(t) end
    until #t.ready == 0
  end

  local function reopen_record(t, state)
    if not OPEN[t.record.state] then t.news = 'revived' end
    t.record.state, t.record.completed_at = state, nil
  end

  local function tell_parent(t)
    local news, parent = t.news, t.record.parent
    t.news = nil
    if news and parent then self[news](parent, t.record.parent_node, t.record.state) end
  end

  -- Starts what has become ready, and tells the parent.
  local function go_on(t)
    proceed(t)
    tell_parent(t)
  end

  -- During the compensation, what a sub-workflow tells is about its undo.
  local function node_of_flow(t, name)
    local state = t.record.state
    local undo = (state == 'undoing' or state == 'stuck') and t:node('undo ' .. name)
    return undo or t:node(name)
  end

  -- A sub-workflow has ended, or its undo has: `state` is its own.
  function self.ended(id, name, state)
    local t = tables.load(id)
    local node = t and node_of_flow(t, name)
    if not node or node.state ~= 'active' then return end
    local done
    if node.kind == 'undo' then done = state ~= 'stuck' else done = state == 'done' end
    end_node(t, node, done and 'done' or failure(t, node))
    go_on(t)
  end

  -- Whether a sub-workflow ends the node, and not its job.
  local function ended_by_flow(id, node, failed)
    local flow = node.kind == 'flow' or node.flow
    return flow and (not failed or OPEN[tables.state_of(id .. '.' .. node.name)])
  end

  -- A job has ended. Only the job that the node has now counts. The job of a `flow` only opens the
  -- sub-workflow, whose end is the node's.
  function self.finish(id, name, jid, failed, result)
    local t = tables.load(id)
    local node = t and t:node(name)
    if not node or node.state ~= 'active' or node.jid ~= jid then return end
    if ended_by_flow(id, node, failed) then return end
    if result and not failed then redis.call('HSET', t:key('_results'), name, result) end
    end_node(t, node, failed and failure(t, node) or 'done')
    go_on(t)
  end

  -- A unique job keeps a node's job out. There is nothing to undo then.
  function self.reject(t, job)
    local node = t:node(job.node)
    local unique = t:plan(node.parent or node.name).unique
    local raised = unique and unique.conflict == 'raise'
    node.jid = nil
    if raised then node.error = 'another job has its unique key ' .. unique.key end
    end_node(t, node, raised and 'dead' or 'done')
    go_on(t)
  end

  -- A dead job, or a failed sub-workflow, is tried again. After its compensation a workflow does
  -- not go on.
  local function revive(id, name, jid)
    local t = tables.load(id)
    local node = t and (jid and t:node(name) or not jid and node_of_flow(t, name))
    if not node or node.state ~= 'dead' or jid and node.jid ~= jid then return end
    local state, undo = t.record.state, node.kind == 'undo'
    if state ~= (undo and 'undoing' or 'running') and state ~= (undo and 'stuck' or 'failed') then
      return
    end
    reopen_record(t, undo and 'undoing' or 'running')
    restart.reopen(t, node)
    tell_parent(t)
  end

  function self.revived(id, name) revive(id, name, nil) end

  self.revive = revive

  function self.open(t)
    for _, step in ipairs(t:steps()) do
      if step.missing == 0 then t.ready[#t.ready + 1] = step end
    end
    go_on(t)
  end

  -- Ends what waits. Returns whether it was running.
  function self.cancel(t, reason)
    if t.record.state ~= 'running' then return false end
    t.record.state, t.record.reason = 'cancelling', reason
    for _, step in ipairs(t:steps()) do
      if step.state == 'waiting' then close(t, step, 'cancelled') end
    end
    go_on(t)
    return true
  end

  -- Undoes what is done. What has ended otherwise only tells its parent.
  function self.undo(t, reason)
    local state = t.record.state
    if state == 'running' then return self.cancel(t, reason) end
    if OPEN[state] then return end
    if state == 'done' then
      t.record.reason, t.record.completed_at = reason, nil
      local undo = undos.add(t)
      if undo then begin_undo(t, undo) else conclude_as(t, 'undone') end
    else
      t.news = 'ended'
    end
    go_on(t)
  end

  -- Runs a step and all that depend on it once more. Returns why it does not.
  function self.restart(t, name)
    local ready, why = restart.reset(t, name)
    if why then return why end
    t.ready = ready
    reopen_record(t, 'running')
    go_on(t)
  end

  return self
end
