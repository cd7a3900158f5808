# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # An actor that lives on the other side of a line, as far as a {Ref} asks its core. Everything
      # is asked of the actor itself, which checks it: what a method is called and takes, whether
      # there is room, and who waits for whom.
      #
      # @api private
      class Distant
        include Bonds

        # @return [Symbol] unique everywhere
        attr_reader :id
        # @return [String]
        attr_reader :label

        # @param data [Array] what {Distant.describe} said
        # @param line [Line, nil] nil: it is nowhere any more
        def initialize(data, line)
          @id, @label, @class_name, @call_timeout = data
          @line = line
        end

        # @param core [ActorCore, Distant]
        # @return [Array] what the other side is to know
        def self.describe(core, id)
          [id, core.label, core.class_name, core.call_timeout, core.via_uplink?]
        end

        attr_reader :class_name, :call_timeout

        # @return [Ref]
        def ref = @ref ||= Ref.new(self)

        # A forked child has none of its parent's lines but the one to it.
        # @return [Line]
        # @raise [ActorDied]
        def line
          return @line if @line&.ours?

          (@line && Node.current.uplink) or raise ActorDied.new(ref: ref, reason: :forked)
        end

        # (see ActorCore#look)
        def known_status = (@line.nil? || (@line.ours? && @line.closed?)) ? :dead : :elsewhere

        # @return [Object]
        def call(name, arguments, keywords, block)
          plain(block)
          line.ask(ref, :call, ref, name, arguments, keywords, deadline, Task.number,
            limit: @call_timeout)
        end

        # Waits until it is in the mailbox.
        # @return [void]
        def tell(name, arguments, keywords, block)
          plain(block)
          line.ask(ref, :tell, ref, name, arguments, keywords)
        end

        # @return [Future]
        def ask(name, arguments, keywords, block)
          plain(block)
          Future.new.tap do |future|
            number = (way = line).post(future, ref, :call, ref, name, arguments, keywords, deadline,
              nil)
            future.message = Asked.new(way, number)
            future.on_end { |status, _| way.forget(number) if status == :cancelled }
          end
        end

        # @return [Object] see {ActorCore::Sending#request}
        def request(name, arguments, keywords, block, reply, _parent = nil)
          plain(block)
          line.post(reply, ref, :call, ref, name, arguments, keywords, Raffia.deadline, Task.number)
        end

        # @return [Boolean]
        def stop(reason) = known(false) { line.ask(ref, :stop, ref, reason) }

        # @return [Boolean]
        def kill(reason) = known(false) { line.ask(ref, :kill, ref, reason) }

        # @return [Distant, nil]
        def join(timeout = nil)
          known(self) { line.ask(ref, :join, ref, limit: timeout) { return } && self }
        end

        def alive? = known(false) { line.ask(ref, :alive?, ref) }

        def status = known(:dead) { line.ask(ref, :status, ref) }

        def reason = known(nil) { line.ask(ref, :reason, ref) }

        def stats = known({status: :dead}) { line.ask(ref, :stats, ref) }

        def name = known(nil) { line.ask(ref, :name, ref) }

        # @return [Class, nil] nil when it is not known here
        def actor_class
          @class_name && Object.const_get(@class_name)
        rescue NameError
          nil
        end

        # @return [#include?] of what it answers to
        def interface = actor_class ? Interface.of(actor_class) : Anything

        # Of a class that is not known here.
        module Anything
          # What Ruby asks any object for by itself, to dump or to convert it.
          RUBYS = %i[marshal_dump to_ary to_a to_hash to_str to_sym to_int to_proc to_path to_io
            to_open to_regexp exception coerce].freeze
          private_constant :RUBYS

          def self.include?(name) = !RUBYS.include?(name)
        end

        # @return [Boolean] whether there is a line to it, as far as is known
        def reachable? = !@line.nil? && @line.ours? && !@line.closed?

        # @return [Boolean] whether it is reached through the side that started this one
        def via_uplink? = !@line.nil? && line.equal?(Node.current.uplink)

        # Another side asks for this here, and is answered from there.
        # @param answer [Answer]
        # @return [void]
        def pass(answer, op, *arguments) = line.post(answer, ref, op, ref, *arguments)

        # In a forked child: what it was told it knows no more.
        # @return [void]
        def invalidate_after_fork = nil

        private

        # What can be said of an actor although nobody is there who could be asked.
        def known(otherwise)
          yield
        rescue ActorDied
          otherwise
        end

        def plain(block)
          if block
            raise NotDumpable, "a block cannot go to another process: hand in plain data, or " \
              "call a method of a ref's from there"
          end
        end

        def deadline = Deadline.nearer(@call_timeout)
      end
    end
  end
end
