-- Undos of a workflow that has failed or was cancelled, as Store::Workflow::Compensation has them.
local function workflow_undos()
  -- Nodes that are done, or perhaps done, and can be undone: the last one first.
  local function undoable(t)
    local found = {}
    local function check(node)
      if not node or not node.jid then return end
      -- A sub-workflow that is not done has undone itself.
      local unclear = node.kind ~= 'flow' and (node.state == 'dead' or node.state == 'cancelled')
      if node.state == 'done' or unclear then found[#found + 1] = node end
    end
    for _, step in ipairs(t:steps()) do
      if t:plan(step.name).undo then
        check(step)
        for _, name in ipairs(t:children(step.name)) do check(t:node(name)) end
      end
    end
    table.sort(found, function(one, other) return one.ended > other.ended end)
    return found
  end

  -- Adds the undos of a workflow. Returns the first one.
  local function add(t)
    local first, before
    for index, step in ipairs(undoable(t)) do
      local node = {name = 'undo ' .. step.name, kind = 'undo', state = 'waiting', bad = 0,
        missing = before and 1 or 0, undoes = step.name, flow = step.kind == 'flow' or nil,
        position = index - 1}
      first = first or node
      if before then before.next = node.name end
      before = node
      t:add(node)
      t.record.pending = t.record.pending + 1
    end
    return first
  end

  return {add = add}
end
