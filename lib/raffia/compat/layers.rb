# frozen_string_literal: true

require_relative "config"
require_relative "../base/ractor_local"
require_relative "layer"

module Raffia
  # The interfaces of other gems, over Raffia. Nothing here is loaded unless it is asked for:
  #
  # * <tt>require "raffia/compat/parallel"</tt> provides one of them, and answers a later
  #   <tt>require "parallel"</tt>;
  # * <tt>require "raffia/compat"</tt>, <tt>raffia run --compat script.rb</tt> and
  #   RUBYOPT=-rraffia/compat answer what a program requires itself, so that it runs unchanged.
  #   RAFFIA_COMPAT=parallel,evt limits them to those.
  #
  # A gem that is loaded is left alone.
  module Compat
    # By name.
    LAYERS = [
      Layer.new(:parallel, :Parallel, {"parallel" => "parallel", "parallel/version" => "parallel"}),
      Layer.new(:celluloid, :Celluloid,
        %w[celluloid celluloid/pool celluloid/supervision celluloid/probe celluloid/condition
          celluloid/fsm celluloid/future
          celluloid/notifications celluloid/logger celluloid/logging celluloid/version
          celluloid/core_ext celluloid/internals/logger celluloid/internals/registry
          celluloid/supervision/container celluloid/supervision/container/pool].to_h { |feature|
          [feature, "celluloid"]
        }
        .merge(%w[autostart current debug test rspec].to_h { |name|
                 ["celluloid/#{name}",
                   "celluloid/#{(name == "rspec") ? "test" : name}"]
               })),
      Layer.new(:evt, :Evt, {"evt" => "evt", "evt/version" => "evt"}),
      Layer.new(:sidekiq, :Sidekiq,
        %w[sidekiq sidekiq/api sidekiq/web sidekiq/testing sidekiq/testing/inline
          sidekiq/middleware/current_attributes
          sidekiq/middleware/i18n sidekiq/launcher sidekiq/scheduled sidekiq/job_retry].to_h { |feature|
          [feature, feature]
        }
        .merge(%w[client iterable_job job job/iterable middleware/chain version worker].to_h { |feature|
                 ["sidekiq/#{feature}", "sidekiq"]
               })
        .merge("sidekiq/web_helpers" => "sidekiq/web_helpers",
          "sidekiq/web/helpers" => "sidekiq/web_helpers")),
      Layer.new(:sucker_punch, :SuckerPunch,
        %w[sucker_punch sucker_punch/async_syntax sucker_punch/testing sucker_punch/testing/inline]
        .to_h { |feature| [feature, feature] }.merge("sucker_punch/version" => "sucker_punch"))
    ].to_h { |layer| [layer.name, layer] }.freeze

    ANSWERED = :raffia_compat_answered
    CLAIMED = :raffia_compat_claimed
    private_constant :ANSWERED, :CLAIMED

    class << self
      # Answers what a program requires from now on.
      # @param names [Array<Symbol>] of {LAYERS}; none: all of them
      # @return [void]
      # @raise [ConfigError] when there is no such layer
      def answer(*names)
        names = LAYERS.keys if names.empty?
        names.each { |name| answered[name] = fetch(name) }
        require_relative "hook"
      end

      # The first line of each layer.
      # @param name [Symbol]
      # @return [void]
      # @raise [OriginalLoaded] when the gem itself is loaded
      # @api private
      def claim(name)
        layer = fetch(name)
        raise OriginalLoaded.new(layer: layer) if original?(layer)

        claimed[name] = true
        layer.forget_autoload
        answer(name)
      end

      # @param feature [Object] what is being required
      # @return [Layer, nil] nil where it is no business of ours
      # @api private
      def answering(feature)
        name = Layer.relative(feature) or return
        layer = answered[name[/\A[a-z_]+(?=\/|\z|\.rb\z)/]&.to_sym]
        layer unless layer.nil? || original?(layer)
      end

      private

      def fetch(name)
        LAYERS.fetch(name) do
          raise ConfigError, "#{name} is no layer of raffia/compat: use some of " \
            "#{LAYERS.keys.join(", ")}, with commas between"
        end
      end

      # Whoever has defined the constant, it was not us.
      def original?(layer) = layer.loaded? && !claimed[layer.name]

      def answered = RactorLocal.fetch(ANSWERED) { {} }

      def claimed = RactorLocal.fetch(CLAIMED) { {} }
    end
  end
end
