# frozen_string_literal: true

require "test_helper"

module Raffia
  # The middleware of sidekiq itself, with the real Active Support.
  class CompatSidekiqMiddlewareTest < TestCase
    BEGINNING = <<~RUBY
      ENV["RAFFIA_STORE"] = "memory:"
      require "raffia/compat"
      require "sidekiq"
      require "raffia/jobs/worker"
      DONE = Thread::Queue.new
      def work(count)
        Raffia::Jobs.run_in_process(store: Raffia::Jobs.store, log: Logger.new(nil)) {
          puts Array.new(count) { DONE.pop(timeout: 30).inspect }
        }
      end
    RUBY

    def setup
      super
      %w[activejob i18n].each do |gem|
        if Gem::Specification.find_all_by_name(gem).empty?
          skip "the gem #{gem} is not installed (bin/setup)"
        end
      end
    end

    def test_current_attributes_travel_with_jobs
      assert_equal "true\n[:ada, 7, nil]\n[nil, nil, nil]\n[nil, nil]\ntrue\n",
        output_of(BEGINNING + <<~RUBY)
          require "sidekiq/middleware/current_attributes"
          begin
            Sidekiq::CurrentAttributes.persist("Current")
          rescue Sidekiq::NotProvided => error
            p error.message.include?("active_job")
          end
          require "active_job"
          require "active_support/all"
          class Current < ActiveSupport::CurrentAttributes
            attribute :user, :old
          end
          class Shop < ActiveSupport::CurrentAttributes
            attribute :number
          end
          Sidekiq::CurrentAttributes.persist(["Current", Shop])
          class Asks
            include Sidekiq::Job
            def perform = DONE << [Current.user, Shop.number, Current.old]
          end
          Current.set(user: :ada) { Shop.set(number: 7) { Asks.perform_async } }
          item = Raffia::Jobs.store.entries(:queue).first.item
          work(1)
          Asks.perform_async
          work(1)
          p [Current.user, Shop.number]
          # Attributes of a program that had one more.
          Sidekiq::Client.push("class" => "Asks", "args" => [],
            "cattr" => ActiveJob::Arguments.serialize({user: :eve, gone: 1}))
          Raffia::Jobs.run_in_process(store: Raffia::Jobs.store, log: Logger.new(nil)) {
            p DONE.pop(timeout: 30) == [:eve, nil, nil] && item.key?("cattr_1")
          }
        RUBY
    end

    def test_the_locale_travels_with_jobs
      assert_equal "[:de]\n[:en]\n:en\n", output_of(BEGINNING + <<~RUBY)
        require "i18n"
        I18n.available_locales = %i[en de]
        require "sidekiq/middleware/i18n"
        class Asks
          include Sidekiq::Job
          def perform = DONE << [I18n.locale]
        end
        I18n.with_locale(:de) { Asks.perform_async }
        work(1)
        Asks.perform_async
        work(1)
        p I18n.locale
      RUBY
    end
  end
end
