# frozen_string_literal: true

require "test_helper"
require "raffia/simulation/bytecode"

class SimulationBytecodeTest < Raffia::TestCase
  # standard:disable all
  # Lines of the samples are counted from their `def`.
  class Loops
    def body(list)
      i = 0
      while i < 3
        i += 1
        list << i
      end
      list
    end

    def do_while(i)
      begin
        i += 1
      end while i < 5
    end

    def skipping(i)
      until i > 9
        i += 1
        next if i.odd?
        @even = i
      end
    end

    def empty
      until @done
      end
    end

    def modifier(i)
      i += 1 while i < 8
    end

    def waiting(queue)
      queue.pop until queue.empty?
    end

    def condition_on_two_lines
      until @a ||
          @b
        @c = 1
      end
    end

    def late(i)
      while i < 3 do i += 1
        @late = i
      end
    end

    def in_block(list)
      list.each do |item|
        while item
          item = nil
        end
      end
    end

    def none(list)
      list.each { |item| item + 1 }
      @a ? 1 : 2
    end

    def branches(flag)
      if flag
        @a = 1
      else
        @a = 2
      end
      @b = 3
    end
  end

  class Sample
    LIMIT = 3

    def instance_variables_and_others
      @a = @b
      @a += 1
      $simulation_sample = @@c
      @@c = LIMIT
      Process::CLOCK_MONOTONIC
      ::Process
      [defined?(@d), defined?($simulation_other)]
    end

    def conditions
      @memo ||= 1
      @a = 1 if @flag
      @b = @flag ? 1 : 2
      return @c if @d
      @e&.f(@g)
    end

    def defaults(value = @default)
      @value = value
    end

    def several_lines
      print(
        @a,
        @b
      )
      while @c
        @d = 1
      end
    end

    def captured
      counter = 0
      own = 1
      own += 1
      print(own)
      [1].each do |item|
        counter += item
        item += 1
        [2].each { counter += own }
      end
      counter
    end

    def rescued
      @a = 1
    rescue => error
      @b = error
    ensure
      @c = 1
    end

    def calls
      @n = @queue.pop(@a) + @b
      yield @c
    end

    def assigned
      @a, @b = @c
      @d.e = @f
      @g[0] = @h
    end

    def endless = @a += 1

  end
  # standard:enable all

  def setup
    need_cruby "bytecode"
    @bytecode = Raffia::Simulation::Bytecode.new
  end

  def test_the_line_after_a_backward_branch_is_a_loop_line
    assert_equal [3], loop_lines(:body)
    assert_equal [2], loop_lines(:do_while)
    assert_equal [2], loop_lines(:skipping)
    assert_equal [3], loop_lines(:condition_on_two_lines)
    assert_equal [], loop_lines(:none)
  end

  def test_a_loop_whose_first_statement_has_no_event_takes_its_next_one
    assert_equal [2], loop_lines(:late)
  end

  def test_loops_in_blocks_belong_to_the_code_of_the_block
    assert_equal [], loop_lines(:in_block)
    method = Loops.instance_method(:in_block)
    line = method.source_location.last
    codes = @bytecode.tree(method)
    assert_equal ["in_block", "block in in_block"], codes.map { |code| code.label[/[^#]+\z/] }
    assert_equal [line + 3], codes.last.loop_lines
  end

  def test_loops_that_no_line_event_shows
    assert_equal [1], silent_loops(:empty)
    assert_equal [1], silent_loops(:modifier)
    %i[body do_while skipping waiting condition_on_two_lines late none].each do |name|
      assert_equal [], silent_loops(name), name
    end
    assert_equal [], loop_lines(:empty)
    assert_equal [], loop_lines(:modifier)
  end

  def test_lines_that_only_taken_branches_reach
    assert_equal [4], lines_of(Loops, :branches, &:branch_lines)
    assert_equal [3], lines_of(Loops, :body, &:branch_lines)
    assert_equal [2], lines_of(Loops, :do_while, &:branch_lines)
  end

  # A TracePoint with the code as its target sees each round of the loop at the loop line.
  def test_loop_lines_are_seen_each_round
    {body: [[]], do_while: [0], skipping: [0], late: [0]}.each do |name, arguments|
      code = @bytecode.code(Loops.instance_method(name))
      rounds = 0
      trace = TracePoint.new(:line) { |point| rounds += 1 if code.loop_lines == [point.lineno] }
      trace.enable(target: code.iseq) { Loops.new.public_send(name, *arguments) }
      assert_equal({body: 3, do_while: 5, skipping: 10, late: 3}[name], rounds, name)
    end
  end

  def test_accesses_of_lines
    assert_equal({1 => %w[r@b w@a], 2 => %w[r@a w@a], 3 => %w[r@@c w$simulation_sample],
                  4 => %w[rLIMIT w@@c], 5 => %w[rProcess rCLOCK_MONOTONIC], 6 => %w[rProcess],
                  7 => %w[r@d r$simulation_other]}, accesses(:instance_variables_and_others))
    assert_equal({1 => %w[r@c w@a w@b], 2 => %w[r@d r@f], 3 => %w[r@g r@h]}, accesses(:assigned))
    code = @bytecode.code(Sample.instance_method(:instance_variables_and_others))
    assert_equal({"@a": :instance, "$simulation_sample": :global, "@@c": :class},
      code.writes.to_h { |variable| [variable.name, variable.kind] })
    assert_equal :constant, code.reads.find { |variable| variable.name == :LIMIT }.kind
  end

  def test_accesses_behind_a_branch_are_uncertain
    assert_equal({1 => %w[r@memo w@memo?], 2 => %w[r@flag w@a?], 3 => %w[r@flag w@b],
                  4 => %w[r@d r@c?], 5 => %w[r@e r@g?]}, accesses(:conditions))
  end

  def test_accesses_count_to_the_event_before_them
    assert_equal({1 => %w[w@value]}, accesses(:defaults))
    assert_equal({1 => %w[r@a r@b], 5 => %w[r@c], 6 => %w[w@d r@c]}, accesses(:several_lines))
  end

  def test_accesses_before_the_first_event
    assert_equal [:@default], @bytecode.code(Sample.instance_method(:defaults)).entry.reads
      .map(&:name)
    endless = @bytecode.code(Sample.instance_method(:endless))
    assert_equal [:@a], endless.entry.reads.map(&:name)
    assert_equal [:@a], endless.entry.writes.map(&:name)
    assert_empty endless.segments
    assert_empty @bytecode.code(Sample.instance_method(:assigned)).entry
  end

  def test_captured_locals_are_accesses_and_others_are_not
    assert_equal({1 => %w[wcounter], 2 => %w[wown], 3 => %w[rown wown], 4 => %w[rown],
                  10 => %w[rcounter]}, accesses(:captured).reject { |_, all| all.empty? })
    outer, inner = @bytecode.tree(Sample.instance_method(:captured)).drop(1)
    assert_equal [[:counter, 1]], outer.writes.map { |variable| [variable.name, variable.level] }
    assert_equal [[:counter, 2]], inner.writes.map { |variable| [variable.name, variable.level] }
    assert_equal [:counter, :own], inner.reads.map(&:name)
  end

  def test_rescue_and_ensure_are_code_of_their_own
    codes = @bytecode.tree(Sample.instance_method(:rescued)).to_h do |code|
      [code.iseq.to_a[9], code.writes.map(&:name)]
    end
    assert_equal({method: %i[@a @c], rescue: %i[@b], ensure: %i[@c]},
      codes.transform_values { |names| names.grep(/@/) })
  end

  def test_calls_stand_between_accesses
    segments = segments(:calls)
    assert_equal [:pop], segments[1].calls
    assert_equal [[:@queue, 0], [:@a, 0], [:@b, 1], [:@n, 1]],
      segments[1].accesses.map { |access| [access.variable.name, access.calls] }
    assert_equal [nil], segments[2].calls
    assert_equal %i[@queue @a @b], segments[1].reads.map(&:name)
    assert_equal %i[@n], segments[1].writes.map(&:name)
  end

  def test_code_is_made_once
    method = Sample.instance_method(:calls)
    assert_same @bytecode.code(method), @bytecode.code(Sample.instance_method(:calls))
    assert_same @bytecode.code(method), @bytecode.code(@bytecode.code(method).iseq)
    assert_nil @bytecode.code([].method(:push))
    assert_equal [], @bytecode.tree([].method(:push))
  end

  def test_the_code_of_a_frame
    location = nil
    block = proc { location = caller_locations(0, 1).first }
    block.call
    codes = @bytecode.codes_at(location)
    assert_equal [@bytecode.code(block).label], codes.map(&:label)
    assert_equal File.expand_path(__FILE__), codes.first.path
    assert_same codes.first, @bytecode.codes_at(location).first
    location = eval("caller_locations(0, 1).first", binding, "(nowhere)", 1) # standard:disable all
    assert_operator @bytecode.codes_at(location).size, :<=, 1
  end

  # Two blocks on one line: both may be what runs, or the right one is known.
  def test_the_code_of_a_frame_among_blocks_of_one_line
    location = nil
    # standard:disable Style/Semicolon
    [1].each { location = caller_locations(0, 1).first }; [2].each { @other = 1 }
    # standard:enable Style/Semicolon
    writes = @bytecode.codes_at(location).map { |code| code.writes.map(&:name) }
    assert_includes writes, [:location]
    assert_empty writes - [[:location], [:@other]]
  end

  private

  def lines_of(sample, name)
    method = sample.instance_method(name)
    yield(@bytecode.code(method)).map { |line| line - method.source_location.last }
  end

  def loop_lines(name) = lines_of(Loops, name, &:loop_lines)

  def silent_loops(name) = lines_of(Loops, name, &:silent_loops)

  def segments(name)
    method = Sample.instance_method(name)
    @bytecode.code(method).segments
      .transform_keys { |line| line - method.source_location.last }
  end

  # Each access as text: r or w, the name, and "?" where a branch may go around it.
  def accesses(name)
    segments(name).transform_values do |segment|
      segment.accesses.map do |access|
        "#{access.write? ? "w" : "r"}#{access.variable}#{"?" unless access.certain?}"
      end
    end
  end
end
