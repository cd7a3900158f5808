# frozen_string_literal: true

require_relative "../../executor/ractors/outer_references"
require_relative "finding"
require_relative "refusal_text"

module Raffia
  class Server
    module Ractors
      # Finds what an application's code uses that only the main Ractor may see. Reads the compiled
      # `call` and the methods that it calls on its object and on modules. Does not follow code of
      # gems.
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

        attr_reader :findings

        def initialize(path)
          @path = path
          @findings = []
          @trail = []
          @seen = {}
        end

        # `app` is a module, or an object that will be frozen. Blocks were checked already.
        def application(app)
          case app
          when ::Module then follow(app, :call)
          when ::Proc then nil
          else instance(app.class, :call, frozen: true)
          end
          self
        end

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

        # Checks an instance method, and those that it calls on itself.
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

        # Collects what the superclass raises, except for methods made of blocks: {GemFreezer}
        # freezes those it can, and only a request shows the others.
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
