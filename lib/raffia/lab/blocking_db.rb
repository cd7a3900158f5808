# frozen_string_literal: true

require_relative "../base/optional"
require_relative "experiment"
require_relative "service/mariadb"
require_relative "blocking_db/apache_bench"
require_relative "blocking_db/servers"

module Raffia
  module Lab
    # Requests that each wait for a slow statement of a real MariaDB: 10 at once, then 1,000 of them
    # 200 at once. The question is how many statements the database has at the same time, and how
    # much memory that costs the server.
    class BlockingDB < Experiment
      VARIANTS = %i[processes threads offload fibers].freeze
      # Three times Puma's default.
      THREADS = 16
      SLEEP = 2.0
      TEN = 10
      WIDE = 200
      ROUNDS = 5
      SPARE_FILES = 200
      # Seconds; a shorter statement does not hide the CPU that a request costs.
      PUBLISHED = 1.0

      def name = "blocking_db"

      def title = "requests that wait for a slow statement of MariaDB, 10 and 200 at once"

      def variants = VARIANTS

      def workers(variant, _cores) = [(variant == :threads) ? THREADS : 1]

      def workers?(variant) = variant == :threads

      def baseline = :processes

      def cpu_bound? = false

      def metric = Metric.new(key: :wide_seconds, unit: "s", more: false)

      # The statement gets faster with the scale, and below a tenth there are fewer of them too.
      def params(scale)
        wide = (WIDE * scale * 10).round.clamp(TEN, WIDE)
        {sleep: [(SLEEP * scale).round(3), 0.01].max, ten: TEN, wide:, requests: wide * ROUNDS}
      end

      def size(params)
        "sleep(#{format("%g", params[:sleep])}), #{params[:ten]} requests at once, then " \
          "#{params[:requests]}, #{params[:wide]} at once"
      end

      def service = :mariadb

      def needs = {nofile: 2 * WIDE + SPARE_FILES}

      def obstacles(_params)
        common = ApacheBench.missing || Service::MariaDB.missing || missing("trilogy") ||
          Limits.obstacle(needs)
        VARIANTS.to_h { |variant|
          [variant, common || (missing("mysql2") unless variant == :fibers)]
        }.compact
      end

      # Loads the driver before the workers are forked. The ten requests warm up the rest.
      def warm_up(setting)
        Application.client((setting.variant == :fibers) ? :trilogy : :mysql2)
      end

      def serve(setting, host) = Servers.new(setting, host).run

      def driver(params, announced)
        [[params[:ten], params[:ten]], [params[:requests], params[:wide]]].map do |load|
          ApacheBench.command(*load, announced.fetch(:port))
        end
      end

      def driven(outputs)
        ten, wide = outputs.map { |output| ApacheBench.facts(output) }
        {ten_seconds: ten[:seconds], wide_seconds: wide[:seconds],
         complete: ten[:complete] + wide[:complete], errors: ten[:errors] + wide[:errors]}
      end

      def verify(params, facts, report)
        all = params[:ten] + params[:requests] + 2 * ApacheBench::PROBE
        {
          "no request failed" => facts[:errors].zero? && facts[:complete] == all,
          "each request put one row into the table" => report[:rows] == all,
          "requests counted by the server" => facts[:served] == all
        }
      end

      def extras
        [ExtraMetric.new(key: :ten_seconds, label: "10 at once s", format: "%.2f"),
          ExtraMetric.new(key: :processes),
          ExtraMetric.new(key: :threads)]
      end

      def goals(rows)
        params = rows.params
        return [] if params[:sleep] < PUBLISHED
        found = rows.to_a.to_h { |row| [row[:variant].to_sym, row] }
        fibers = found[:fibers]
        [Goal.at_most("fibers: 10 at once within 1.1x of one statement",
          ratio(fibers&.dig(:extras, :ten_seconds), params[:sleep]), 1.1),
          Goal.at_most("fibers: #{params[:requests]} at #{params[:wide]} within 1.1x of " \
            "#{ROUNDS} statements",
            ratio(fibers&.dig(:median), ROUNDS * params[:sleep]), 1.1),
          Goal.at_most("fibers: a tenth of the processes' memory",
            ratio(fibers&.dig(:pss), found.dig(:processes, :pss)), 0.1)]
      end

      def notes(params)
        ["processes: #{params[:wide]} forked workers, one for each request at once; threads: " \
          "#{THREADS} unless --workers says otherwise, both with mysql2",
          "offload: fibers, and mysql2 on up to #{params[:wide]} other threads; fibers: trilogy, " \
            "which waits in the fiber",
          "the figure is ab's time for the #{params[:requests]}, without the one that it sends " \
            "first and alone. Each request is a connection of its own",
          "memory is read after the last one, with the connections to the database open"]
      end

      private

      def missing(name)
        return if Optional.available?(name)
        "needs the gem #{name}, which is not installed: gem install #{name}"
      end

      def ratio(value, base) = (value.to_f / base if value && base)
    end
  end
end
