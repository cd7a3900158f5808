# frozen_string_literal: true

require_relative "../../jobs/encryption/rotation"
require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Counts encrypted jobs by their keys, and encrypts them by the active one.
      class Encryption < Subcommand
        # Jobs that are read at a time to be counted, and to be changed.
        PAGE = 5000
        SLICE = 500
        ENVELOPES = Raffia::Jobs::Encryption

        # Without keys in this process, too.
        def keys
          rows = count_by_key.map do |id, counts|
            {"key" => id, "state" => state(id), "jobs" => counts.values.sum,
             "sets" => counts.transform_keys(&:to_s)}
          end
          answer(rows) do
            next "No job is encrypted." if rows.empty?

            table([%w[key state jobs sets], *rows.map { |row| line(row) }])
          end
        end

        # Each job is changed in one step, so it goes on where it was stopped.
        def reencrypt
          @changed = 0
          @failed = {}
          nil until round.zero?
          left = old_ids.sum { |id| count(:running, mark(id)) }
          @failed.each { |jid, reason| @err.puts Text.plain("#{jid}: #{reason}") }
          answer({"changed" => @changed, "running" => left, "failed" => @failed.keys}) do
            ["#{jobs(@changed)} encrypted anew by the key #{keyring.active}",
              ("#{jobs(left)} still running: run it again later" if left.positive?),
              ("#{jobs(@failed.size)} unreadable" if @failed.any?)].compact
          end
          (left.positive? || @failed.any?) ? FAILED : OK
        end

        private

        def keyring
          Raffia::Jobs.keys || raise(ConfigError, "there are no keys: load the file that sets " \
            "Raffia::Jobs.keys by -r FILE")
        end

        def old_ids = keyring.ids - [keyring.active]

        # How an envelope of this key begins.
        def mark(id) = "\"1.#{id}."

        def jobs(count) = (count == 1) ? "1 job is" : "#{count} jobs are"

        def state(id)
          known = Raffia::Jobs.keys or return ""
          return "active" if id == known.active

          known.ids.include?(id) ? "" : "unknown here"
        end

        def line(row)
          sets = row["sets"].map { |set, count| "#{set} #{count}" }.join(", ")
          [row["key"], row["state"], row["jobs"], sets]
        end

        def count_by_key
          counts = Hash.new { |all, id| all[id] = Hash.new(0) }
          Raffia::Jobs::Store::SETS.each do |set|
            each_page(set, "\"#{ENVELOPES::FIELD}\"") do |page|
              page.each do |entry|
                ids = ENVELOPES.envelopes(entry.item).values.map { |one| ENVELOPES.id_of(one) }
                ids.uniq.each { |id| counts[id][set] += 1 }
              end
            end
          end
          counts.sort.to_h
        end

        def each_page(set, match)
          offset = 0
          until (page = store.entries(set, offset:, limit: PAGE, match:)).empty?
            yield page
            offset += page.size
          end
        end

        def count(set, match)
          count = 0
          each_page(set, match) { |page| count += page.size }
          count
        end

        # Returns how many jobs it has changed. Those that moved meanwhile are changed by the next
        # round.
        def round
          old_ids.sum do |id|
            (Raffia::Jobs::Store::SETS - [:running]).sum { |set| reencrypt_set(set, mark(id)) }
          end
        end

        # Changed jobs do not match any more.
        def reencrypt_set(set, match)
          changed = passed = 0
          until (page = store.entries(set, offset: passed, limit: SLICE, match:)).empty?
            done = store.replace(payloads(page))
            changed += done
            passed += page.size - done
            progress(done)
          end
          changed
        end

        def payloads(page)
          page.filter_map { |entry|
            payload = resealed(entry)
            [entry, payload] if payload && payload != entry.payload.b
          }.to_h
        end

        def resealed(entry)
          JSON.generate(ENVELOPES::Rotation.call(entry.item)).b
        rescue Raffia::Jobs::Error => error
          @failed[entry.jid.to_s] = error.message
          nil
        end

        def progress(done)
          @changed += done
          @err.print "\r#{@changed}" if done.positive? && @err.tty?
        end
      end
    end
  end
end
