# frozen_string_literal: true

require "rbconfig"
require_relative "../../base/error"
require_relative "block_code"
require_relative "constant_lookup"
require_relative "incompatible_methods"
require_relative "self_references"

module Raffia
  module Executor
    module Ractors
      # Finds what a block uses without capturing it, and what only the main Ractor may see:
      # constants that hold something unshareable, globals, class variables, and methods that use
      # them. Ruby finds these only in the middle of the work. The block and the methods of modules
      # that it calls by name are searched. Of Ruby's library, gems and Raffia only methods that are
      # known to fail are found.
      #
      # Constants are looked up as the block would, so autoloads happen now and not in a Ractor.
      class OuterReferences
        # Globals that are read only, or that each Ractor has its own of.
        GLOBALS = %i[$stdin $stdout $stderr $> $! $@ $~ $_ $& $` $' $+ $? $$ $VERBOSE $DEBUG $-v $-w
          $-W $-d $-p $-l $-a $-i].freeze
        # Methods that load code. On Ruby 3.3 they raise in a Ractor, and on 3.4 they can hang.
        LOADERS = {require: "Load it before the call", require_relative: "Load it before the call",
                   load: "Load it before the call",
                   pp: "Use p or puts"}.freeze
        OWN = Regexp.union(RbConfig::CONFIG["rubylibdir"], File.dirname(__dir__, 2))
        LIBRARIES = %r{\A(?:<internal:|#{OWN})|/gems/}
        private_constant :OWN

        def self.check(block, code)
          new(block).check(code, block.binding.eval("::Module.nesting"))
        rescue ArgumentError
          nil # it was made shareable before: where it looks its constants up is unknown
        end

        def self.check_method(block, receiver)
          name = receiver.singleton_methods
            .find { |each| receiver.method(each).source_location == block.source_location }
          new(block).follow(receiver, name) if name
        end

        def initialize(block)
          @location = block.source_location&.join(":")
          @trail = []
          @seen = {}
        end

        def check(code, nesting, owner: nil)
          outside(code)
          code.constants.each { |path| constant(path, ConstantLookup.value(path, nesting)) }
          state(code, owner) if owner
          calls(code, nesting, owner)
        end

        def follow(receiver, name)
          called = "#{receiver}.#{name}"
          return if @seen.key?(called)

          @seen[called] = true
          entry = IncompatibleMethods.find(receiver, name)
          refuse(called, "uses #{entry.culprit}", entry.remedy) if entry
          enter(receiver, name, called)
        end

        private

        def outside(code)
          name = (code.globals - GLOBALS).first
          if name
            refuse(name, "is a global variable", "Assign it to a local variable before the call")
          end
          name = code.class_variables.first
          if name
            refuse(name, "is a class variable",
              "Assign it to a local variable before the call, or make it a frozen constant")
          end
        end

        def constant(path, value)
          return if value.nil? || ::Ractor.shareable?(value)

          name = path.reject(&:empty?).join("::")
          refuse(name, *what_to_do(name, value))
        end

        def what_to_do(name, value)
          object = SelfReferences.brief(value)
          case value
          when ::String
            ["holds #{object} that is not frozen",
              "Freeze it where it is defined, #{name} = \"...\".freeze"]
          when ::Array, ::Hash, ::Struct, ::Range
            ["holds #{object} that is not deeply frozen",
              "Freeze it where it is defined, #{name} = Ractor.make_shareable(...)"]
          when ::Proc then ["holds #{object}", "Make it a method of a module"]
          else ["holds #{object}",
            "Let each Ractor have its own, Ractor.current[:#{name.downcase.gsub("::", "_")}] ||= " \
              "..."]
          end
        end

        # A module's instance variables may be read when they hold something shareable.
        def state(code, owner)
          written = code.variables(written: true)
          name = code.variables.find do |variable|
            value = owner.instance_variable_get(variable)
            !::Ractor.shareable?(value) || (value.nil? && written.include?(variable))
          end
          if name
            refuse(name, "is an instance variable of #{owner}",
              "Make it a frozen constant, or a local variable")
          end
        end

        def calls(code, nesting, owner)
          code.all_calls.each do |call|
            if call.own && LOADERS.key?(call.name) && kernels?(call.name, owner)
              refuse(call.name, "loads code", LOADERS[call.name])
            end
            receiver = if call.receiver
              ConstantLookup.value(call.receiver, nesting)
            else
              (owner if call.own)
            end
            follow(receiver, call.name) if receiver.is_a?(::Module)
          end
        end

        # Whether a module has no method of that name itself.
        def kernels?(name, owner)
          owner.nil? || !owner.respond_to?(name) || owner.method(name).owner.equal?(::Kernel)
        end

        def enter(receiver, name, called)
          creates = name == :new && receiver.is_a?(::Class)
          method = creates ? receiver.instance_method(:initialize) : receiver.method(name)
          code = BlockCode.of(method) or return
          refuse(called, "was made by define_method", "Define it with def") if code.block?
          return if LIBRARIES.match?(method.source_location.first)

          @trail.push(called)
          check(code, ConstantLookup.nesting(method.owner), owner: (receiver unless creates))
          @trail.pop
        rescue NameError
          nil # method_missing, or not there yet
        end

        def refuse(name, why, remedy)
          raise NotShareable.new("the block at #{@location} cannot run in another Ractor: #{who} " \
          "uses #{name}, which #{why}. " \
            "#{remedy}, or run it on: :processes", variable: name.to_sym, location: @location)
        end

        def who
          *before, last = @trail
          return "it" unless last

          "#{last}, which it calls#{" by way of #{before.join(" and ")}" unless before.empty?},"
        end
      end
    end
  end
end
