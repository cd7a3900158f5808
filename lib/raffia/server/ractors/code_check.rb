# frozen_string_literal: true

require_relative "../../executor/ractors/outer_references"
require_relative "finding"
require_relative "refusal_text"

module Raffia
  class Server
    module Ractors
      # Finds what an application's code uses that only the main Ractor may see. It reads compiled
      # methods: `call`, what that calls on its own object, and on modules by name. Code of gems is
      # not followed. All findings are reported, not only the first.
      #
      # @api private
      class CodeCheck < Executor::Ractors::OuterReferences
        # Calls that are unsafe in several Ractors before Ruby 4.0.
        HAZARDS = (RUBY_VERSION >= "4") ? {}.freeze : {
          [::Fiber, :new] => ["may crash the process where several Ractors have fibers",
            "Use tasks (Raffia.run), or each in place of an Enumerator's next"],
          [::Thread, :new] => ["may hang in a Ractor", "Use tasks (Raffia.run)"],
          [::Thread, :start] => ["may hang in a Ractor", "Use tasks (Raffia.run)"]
        }.freeze
        private_constant :HAZARDS

        # @return [Array<Finding>]
        attr_reader :findings

        # @param path [String] where the code is
        def initialize(path)
          @path = path
          @findings = []
          @trail = []
          @seen = {}
        end

        # @param app [Object] the argument of `run`: a module, or an object that will be frozen.
        #   Blocks have been checked already
        def application(app)
          case app
          when ::Module then follow(app, :call)
          when ::Proc then nil
          else instance(app.class, :call, frozen: true)
          end
          self
        end

        # @param klass [Module] each Ractor makes its own instance
        def middleware(klass)
          %i[initialize call].each { |name| instance(klass, name) } if klass.is_a?(::Class)
          self
        end

        def follow(receiver, name)
          why, remedy = HAZARDS[[receiver, name]]
          refuse("#{receiver}.#{name}", why, remedy) if why
          super
        end

        private

        # Checks an instance method, and the methods of its object that it calls.
        def instance(klass, name, frozen: false)
          called = "#{klass}##{name}"
          return if @seen.key?(called)

          @seen[called] = true
          method = klass.instance_method(name)
          code = method.source_location && Executor::Ractors::BlockCode.of(method)
          return if code.nil? || LIBRARIES.match?(method.source_location.first)

          @trail.push(called)
          written(code) if frozen && name != :initialize
          check(code, Executor::Ractors::ConstantLookup.nesting(method.owner))
          code.own_calls.each { |own| instance(klass, own, frozen:) }
          @trail.pop
        rescue ::NameError
          nil # method_missing, or not there
        end

        def written(code)
          code.variables(written: true).each do |name|
            refuse(name, "it assigns to, and what `run` is given is frozen",
              "Keep it in a local variable, in env or in Ractor.current[:name], or `run` the " \
                "class and make an object per request")
          end
        end

        # Overrides what raises. Methods made of blocks are left out: {GemFreezer} makes them
        # shareable where it can, and only a request shows the rest.
        def refuse(name, why, remedy)
          return if why.include?("define_method")

          finding = Finding.new([@path, *@trail].join(" > "), "uses #{name}, which #{why}",
            RefusalText.remedy(remedy))
          @findings << finding unless @findings.include?(finding)
        end
      end
    end
  end
end
