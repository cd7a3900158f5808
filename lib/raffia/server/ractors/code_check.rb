# frozen_string_literal: true

require_relative "../../executor/ractors/outer_references"
require_relative "finding"
require_relative "refusal_text"

module Raffia
  class Server
    module Ractors
      # What the code of an application reaches for that no Ractor but the main one may see, as far
      # as the compiled methods show: from `call` on to what it calls of its own object, and of
      # modules by name. What is in gems is not followed. Everything is told, not only what comes
      # first.
      #
      # @api private
      class CodeCheck < Executor::Ractors::OuterReferences
        # What Ruby before 4.0 cannot do in several Ractors at once, and nothing can guard.
        HAZARDS = (RUBY_VERSION >= "4") ? {}.freeze : {
          [::Fiber, :new] => ["may crash the process where several Ractors have fibers",
            "Use tasks (Raffia.run), or each in place of an Enumerator's next"],
          [::Thread, :new] => ["may hang in a Ractor", "Use tasks (Raffia.run)"],
          [::Thread, :start] => ["may hang in a Ractor", "Use tasks (Raffia.run)"]
        }.freeze
        private_constant :HAZARDS

        # @return [Array<Finding>]
        attr_reader :findings

        # @param path [String] how one gets to the code
        def initialize(path)
          @path = path
          @findings = []
          @trail = []
          @seen = {}
        end

        # @param app [Object] what `run` was given: a module, or an object that will be frozen.
        #   Blocks have been looked at already
        # @return [self]
        def application(app)
          case app
          when ::Module then follow(app, :call)
          when ::Proc then nil
          else instance(app.class, :call, frozen: true)
          end
          self
        end

        # @param klass [Module] each Ractor makes one of its own
        # @return [self]
        def middleware(klass)
          %i[initialize call].each { |name| instance(klass, name) } if klass.is_a?(::Class)
          self
        end

        # A method that is known by name.
        def follow(receiver, name)
          why, remedy = HAZARDS[[receiver, name]]
          refuse("#{receiver}.#{name}", why, remedy) if why
          super
        end

        private

        # A method of an object of this class, and what of its object it calls in turn.
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

        # What {OuterUse} would raise. Methods that are blocks are made shareable where they can be
        # (Libraries); what becomes of them only a request can tell.
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
