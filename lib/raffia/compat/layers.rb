# frozen_string_literal: true

require_relative "config"
require_relative "../base/ractor_local"
require_relative "layer"

module Raffia
  # The interfaces of other gems, over Raffia. Each is loaded on request only:
  #
  # * <tt>require "raffia/compat/parallel"</tt> provides one, and answers a later
  #   <tt>require "parallel"</tt>;
  # * <tt>require "raffia/compat"</tt>, <tt>raffia run --compat script.rb</tt> and
  #   RUBYOPT=-rraffia/compat answer what a program requires, so that it runs unchanged.
  #   RAFFIA_COMPAT=parallel,evt limits them to those.
  #
  # A gem that is loaded already is left alone.
  module Compat
    # By name.
    LAYERS = [
      Layer.new(:parallel, :Parallel, {"parallel" => %w[parallel parallel/version]}),
      Layer.new(:celluloid, :Celluloid,
        {"celluloid" => %w[celluloid celluloid/pool celluloid/supervision celluloid/probe
          celluloid/condition celluloid/fsm celluloid/future celluloid/notifications
          celluloid/logger celluloid/logging celluloid/version celluloid/core_ext
          celluloid/internals/logger celluloid/internals/registry
          celluloid/supervision/container celluloid/supervision/container/pool],
         "celluloid/autostart" => %w[celluloid/autostart],
         "celluloid/current" => %w[celluloid/current],
         "celluloid/debug" => %w[celluloid/debug],
         "celluloid/test" => %w[celluloid/test celluloid/rspec]}),
      Layer.new(:evt, :Evt, {"evt" => %w[evt evt/version]}),
      Layer.new(:sidekiq, :Sidekiq,
        {"sidekiq" => %w[sidekiq sidekiq/client sidekiq/iterable_job sidekiq/job
          sidekiq/job/iterable sidekiq/job_retry sidekiq/launcher sidekiq/middleware/chain
          sidekiq/version sidekiq/worker],
         "sidekiq/api" => %w[sidekiq/api],
         "sidekiq/web" => %w[sidekiq/web sidekiq/web_helpers sidekiq/web/helpers],
         "sidekiq/testing" => %w[sidekiq/testing],
         "sidekiq/testing/inline" => %w[sidekiq/testing/inline],
         "sidekiq/middleware/current_attributes" => %w[sidekiq/middleware/current_attributes],
         "sidekiq/middleware/i18n" => %w[sidekiq/middleware/i18n],
         "sidekiq/scheduled" => %w[sidekiq/scheduled]}),
      Layer.new(:resque, :Resque,
        {"resque" => %w[resque resque/errors resque/job resque/plugin resque/version],
         "resque/scheduler" => %w[resque-scheduler resque_scheduler resque/scheduler]}),
      Layer.new(:delayed_job, :Delayed,
        {"delayed_job" => %w[delayed_job delayed_job_active_record delayed/message_sending
          delayed/performable_mailer delayed/performable_method delayed/worker]}),
      Layer.new(:sucker_punch, :SuckerPunch,
        {"sucker_punch" => %w[sucker_punch sucker_punch/version],
         "sucker_punch/async_syntax" => %w[sucker_punch/async_syntax],
         "sucker_punch/testing" => %w[sucker_punch/testing],
         "sucker_punch/testing/inline" => %w[sucker_punch/testing/inline]})
    ].to_h { |layer| [layer.name, layer] }.freeze

    # The first folder of a feature, or the feature itself => layer.
    FOLDERS = LAYERS.values.flat_map { |layer|
      layer.features.keys.map { |feature| [feature[%r{\A[^/]+}], layer.name] }
    }.to_h.freeze

    ANSWERED = :raffia_compat_answered
    CLAIMED = :raffia_compat_claimed
    private_constant :FOLDERS, :ANSWERED, :CLAIMED

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

      # Each layer calls it first. Raises OriginalLoaded when the gem itself is loaded.
      # @api private
      def claim(name)
        layer = fetch(name)
        raise OriginalLoaded.new(layer:) if original?(layer)

        claimed[name] = true
        layer.forget_autoload
        answer(name)
      end

      # The layer that answers for a required feature, nil when Ruby has to load it.
      # @api private
      def answering(feature)
        name = Layer.relative(feature) or return
        layer = answered[FOLDERS[name[/\A[a-z_-]+(?=\/|\z|\.rb\z)/]]]
        layer unless layer.nil? || original?(layer)
      end

      private

      def fetch(name)
        LAYERS.fetch(name) do
          raise ConfigError, "#{name} is no layer of raffia/compat: use some of " \
            "#{LAYERS.keys.join(", ")}, with commas between"
        end
      end

      def original?(layer) = layer.loaded? && !claimed[layer.name]

      def answered = RactorLocal.fetch(ANSWERED) { {} }

      def claimed = RactorLocal.fetch(CLAIMED) { {} }
    end
  end
end
